//! Checks that the results agree with the reference implementation in `embedding/distil.py`.

use super::{DIMENSIONS, Table, Vector, pieces};
use proptest::prelude::{any, proptest};
use serde::Deserialize;

#[derive(Deserialize)]
struct Check {
    text: String,
    pieces: Vec<String>,
    vector: String,
}

/// The results of the reference implementation for 200 texts.
fn checks() -> Vec<Check> {
    include_str!("check.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a check"))
        .collect()
}

fn split(text: &str) -> Vec<String> {
    let table = Table::shipped();
    let mut found = Vec::new();
    pieces::for_each_piece(&table, text, &mut |row| {
        found.push(String::from_utf8_lossy(table.piece(row)).into_owned());
    });
    found
}

fn vector(text: &str) -> Vector {
    Table::shipped().vector(text)
}

#[test]
fn texts_are_split_like_the_reference() {
    let checks = checks();
    assert_eq!(checks.len(), 200);
    for check in checks {
        assert_eq!(split(&check.text), check.pieces, "{:?}", check.text);
    }
}

#[test]
fn vectors_agree_with_the_reference() {
    for check in checks() {
        let bytes: Vec<u8> = (0..DIMENSIONS)
            .map(|at| u8::from_str_radix(&check.vector[2 * at..2 * at + 2], 16).expect("a byte"))
            .collect();
        let expected = Vector::from_bytes(&bytes).expect("128 bytes");
        let actual = vector(&check.text);
        if expected.is_empty() {
            assert!(actual.is_empty(), "{:?}", check.text);
        } else {
            let cosine = actual.cosine(&expected);
            assert!(cosine >= 0.99, "{cosine} for {:?}", check.text);
        }
    }
}

#[test]
fn words_are_split_into_the_longest_pieces() {
    assert_eq!(split("Logging in, Café-Crème 7").join(" "), "logging in , cafe - cr ##eme 7");
    assert_eq!(split("").len(), 0);
    assert_eq!(split(&"x".repeat(101)).len(), 0);
    // The soft hyphen is ignored.
    assert_eq!(split("data\u{ad}base"), split("database"));
}

#[test]
fn texts_with_similar_meaning_have_higher_similarity() {
    let question = vector("how do users sign in");
    let near = question.cosine(&vector("login for people with a password"));
    let far = question.cosine(&vector("the nightly report counts boxes in the warehouse"));
    assert!(near > far + 0.2, "{near} {far}");
}

#[test]
fn questions_lose_what_all_questions_have_in_common() {
    assert_eq!(super::MEAN_QUESTION.len(), 4 * DIMENSIONS);
    let table = Table::shipped();
    let texts = ["how do I restart the broker", "why is the invoice in English"];
    let [first, second] = texts.map(|text| table.question_vector(text));
    assert!(first.cosine(&second) < vector(texts[0]).cosine(&vector(texts[1])));
    assert!(first.cosine(&vector(texts[0])) > 0.8);
    assert!(table.question_vector("").is_empty());
}

#[test]
fn a_text_without_pieces_has_no_similarity() {
    let empty = vector("");
    assert!(empty.is_empty());
    assert_eq!(empty.cosine(&vector("text")).to_bits(), 0.0_f32.to_bits());
    assert_eq!(vector("text").cosine(&vector("text")).round().to_bits(), 1.0_f32.to_bits());
}

#[test]
fn vectors_are_unchanged_by_serialization() {
    let vector = vector("the queue lives in the database");
    assert_eq!(Vector::from_bytes(&vector.to_bytes()), Some(vector));
    assert_eq!(Vector::from_bytes(&[0; 64]), None);
}

#[test]
fn tables_of_wrong_size_are_rejected() {
    let shipped = super::TABLE;
    assert!(Table::new(shipped).is_some());
    for short in [0, 7, 15, 16, 100, shipped.len() / 2, shipped.len() - 1] {
        assert!(Table::new(&shipped[..short]).is_none(), "{short} bytes");
    }
    assert!(Table::new(&shipped[1..]).is_none());
}

proptest! {
    #[test]
    fn any_text_has_a_vector(text in any::<String>()) {
        let vector_of_text = vector(&text);
        assert!(vector_of_text.is_empty() || (vector_of_text.cosine(&vector_of_text) - 1.0).abs() < 1e-4);
    }
}
