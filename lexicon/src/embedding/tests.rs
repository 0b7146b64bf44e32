//! Checks that the reader agrees with the reference reader in `embedding/distil.py`.

use super::{DIMENSIONS, Table, Vector, pieces};
use proptest::prelude::{any, proptest};
use serde::Deserialize;

#[derive(Deserialize)]
struct Check {
    text: String,
    pieces: Vec<String>,
    vector: String,
}

/// The results of the reference reader for 200 texts.
fn checks() -> Vec<Check> {
    include_str!("check.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a check"))
        .collect()
}

fn cut(text: &str) -> Vec<String> {
    let table = Table::shipped();
    let mut found = Vec::new();
    pieces::each(&table, text, &mut |row| {
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
        assert_eq!(cut(&check.text), check.pieces, "{:?}", check.text);
    }
}

#[test]
fn vectors_are_those_of_the_reference() {
    for check in checks() {
        let bytes: Vec<u8> = (0..DIMENSIONS)
            .map(|at| u8::from_str_radix(&check.vector[2 * at..2 * at + 2], 16).expect("a byte"))
            .collect();
        let wanted = Vector::from_bytes(&bytes).expect("128 bytes");
        let found = vector(&check.text);
        if wanted.is_empty() {
            assert!(found.is_empty(), "{:?}", check.text);
        } else {
            let cosine = found.cosine(&wanted);
            assert!(cosine >= 0.99, "{cosine} for {:?}", check.text);
        }
    }
}

#[test]
fn words_are_cut_into_the_longest_pieces() {
    assert_eq!(cut("Logging in, Café-Crème 7").join(" "), "logging in , cafe - cr ##eme 7");
    assert_eq!(cut("").len(), 0);
    assert_eq!(cut(&"x".repeat(101)).len(), 0);
    // The soft hyphen is ignored.
    assert_eq!(cut("data\u{ad}base"), cut("database"));
}

#[test]
fn similar_meaning_has_higher_similarity() {
    let question = vector("how do users sign in");
    let near = question.cosine(&vector("login for people with a password"));
    let far = question.cosine(&vector("the nightly report counts boxes in the warehouse"));
    assert!(near > far + 0.2, "{near} {far}");
}

#[test]
fn a_text_without_pieces_has_no_similarity() {
    let nothing = vector("");
    assert!(nothing.is_empty());
    assert_eq!(nothing.cosine(&vector("text")).to_bits(), 0.0_f32.to_bits());
    assert_eq!(vector("text").cosine(&vector("text")).round().to_bits(), 1.0_f32.to_bits());
}

#[test]
fn stored_vectors_come_back() {
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
        let own = vector(&text);
        assert!(own.is_empty() || (own.cosine(&own) - 1.0).abs() < 1e-4);
    }
}
