//! Benchmarks of the hot paths: `cargo bench -p aidd-validators`. For comparisons with other tools,
//! see `benches/peers/run`.

use aidd_engine::check::{Distribution, Engine, Selection};
use aidd_engine::forms::prefilter::Prefilter;
use aidd_engine::parse::dockerfile;
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::Memory;
use aidd_engine::text::source::{Encoding, Source};
use aidd_lexicon::embedding::Table;
use aidd_lexicon::tokens;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The content that the program ships.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);

fn main() {
    divan::main();
}

static ENGINE: LazyLock<Engine> = LazyLock::new(engine);

fn engine() -> Engine {
    Engine::new(
        &DISTRIBUTION,
        Registry::new(&aidd_content::RULES, &[]),
        &Config::default(),
        &Selection::default(),
    )
    .expect("shipped rules")
}

/// A megabyte of source code from this project.
fn source_code() -> String {
    let sources = concat!(
        include_str!("../../engine/src/check/mod.rs"),
        include_str!("../../engine/src/text/source.rs"),
        include_str!("../../engine/src/forms/text/mod.rs"),
    );
    sources.repeat((1 << 20) / sources.len() + 1)
}

const DOCKERFILE: &str = r#"# syntax=docker/dockerfile:1
ARG NODE=20.11
FROM node:${NODE}-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/app/.npm npm ci
COPY . .
RUN npm run build && \
    # keep what runs
    npm prune --omit=dev

FROM debian:12-slim
LABEL org.opencontainers.image.source="https://example.org/app"
RUN apt-get update && apt-get install -y --no-install-recommends \
        ca-certificates=20230311 \
        curl=7.88.1-10 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /app/dist /srv/app
RUN <<EOF
set -eu
useradd --system --uid 1000 app
chown -R app /srv/app
EOF
USER 1000
EXPOSE 8080/tcp
HEALTHCHECK CMD ["curl", "-f", "http://localhost:8080/"]
CMD ["/srv/app/server"]
"#;

const DIAGRAM: &str = "flowchart TD\n    A[Start] --> B{Ready?}\n    B -- yes --> C[Run]\n    B -- no --> D[Wait]\n    D --> B\n    C --> E((End))\n    subgraph one\n        C --> F[Log]\n    end\n";

#[divan::bench]
fn line_index(bencher: Bencher<'_, '_>) {
    let text = source_code();
    bencher
        .counter(BytesCount::of_str(&text))
        .with_inputs(|| Source::new("a.rs", text.as_str()))
        .bench_refs(|source| source.position(black_box(1 << 20), Encoding::Utf16));
}

#[divan::bench]
fn keyword_prefilter(bencher: Bencher<'_, '_>) {
    let keywords: BTreeSet<&str> =
        aidd_content::RULES.keywords.all().map(|(word, _)| word).collect();
    let keywords = keywords.into_iter().filter(|word| !word.is_empty());
    let prefilter = Prefilter::new(keywords.map(Into::into).collect());
    let text = source_code();
    // Processes enough text to switch to the fast automaton.
    (0..3).for_each(|_| prefilter.for_each_match(&text, |_, _| ()));
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut hits = 0;
        prefilter.for_each_match(black_box(&text), |_, _| hits += 1);
        hits
    });
}

#[divan::bench]
fn all_rules_on_source_code(bencher: Bencher<'_, '_>) {
    let source = Source::new("a.rs", source_code());
    bencher
        .counter(BytesCount::of_str(source.text()))
        .bench(|| ENGINE.check(black_box(&source), &Memory::default()));
}

#[divan::bench]
fn dockerfile_parse(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::of_str(DOCKERFILE))
        .bench(|| dockerfile::parse(black_box(DOCKERFILE)));
}

#[divan::bench]
fn dockerfile_all_rules(bencher: Bencher<'_, '_>) {
    let source = Source::new("Dockerfile", DOCKERFILE);
    bencher.bench(|| ENGINE.check(black_box(&source), &Memory::default()));
}

#[divan::bench]
fn mermaid_all_rules(bencher: Bencher<'_, '_>) {
    let source = Source::new("a.mmd", DIAGRAM);
    bencher.bench(|| ENGINE.check(black_box(&source), &Memory::default()));
}

#[divan::bench]
fn headers_of_all_pages() -> usize {
    (0..aidd_content::RULES.pages.len())
        .filter_map(|index| aidd_content::RULES.header(index))
        .count()
}

#[divan::bench]
fn engine_start() -> Engine {
    engine()
}

#[divan::bench]
fn tokens_counted(bencher: Bencher<'_, '_>) {
    let text = aidd_content::RULES.guides[0].text;
    bencher.counter(BytesCount::of_str(text)).bench(|| tokens::count(black_box(text)));
}

/// A decision as saved by an agent.
const MEMORY: &str = "Queue moved into Postgres. A job is now enqueued in the same transaction as \
the order that needs it; with the other store we lost confirmation mails when the transaction \
rolled back after the enqueue, and sent some for orders that never existed.";

#[divan::bench]
fn embedding_table_opened() -> Table {
    Table::shipped()
}

#[divan::bench]
fn embedding_of_a_memory(bencher: Bencher<'_, '_>) {
    let table = Table::shipped();
    bencher.bench(|| table.vector(black_box(MEMORY)));
}

#[divan::bench]
fn embedding_of_a_question(bencher: Bencher<'_, '_>) {
    let table = Table::shipped();
    bencher.bench(|| table.vector(black_box("why are jobs kept in the database")));
}

/// One query against 100,000 memories; the limit is 12.8 MB ÷ memory bandwidth.
#[divan::bench]
fn cosine_of_100_000_vectors(bencher: Bencher<'_, '_>) {
    let table = Table::shipped();
    let stored = vec![table.vector(MEMORY); 100_000];
    let query = table.vector("why are jobs kept in the database");
    bencher.bench(|| {
        let best = stored.iter().map(|vector| vector.cosine(black_box(&query)));
        best.fold(0.0, f32::max)
    });
}
