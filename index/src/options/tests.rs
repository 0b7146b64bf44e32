use super::*;

fn listed(path: &str, text: &str) -> Vec<String> {
    let line = |option: OptionDefault| {
        format!("{} {} | {} | {}", option.name, option.value, option.help, option.declared_in)
    };
    option_defaults(path, text).into_iter().map(line).collect()
}

#[test]
fn clap_derives_and_builders() {
    let text = r#"
#[derive(Args)]
struct Serve {
    /// Port to listen on;
    /// also TLS.
    ///
    /// Longer text.
    #[arg(long, short, default_value_t = 80)]
    port_number: u16,
    #[arg(short, default_value = "x", help = "Mode")]
    mode: String,
    #[arg(long = "sort", value_enum, default_value_t = Sort::Newest)]
    order: Sort,
    #[arg(long, default_value_t = DEFAULT)]
    constant: u8,
    #[arg(long, default_value = "false")]
    quiet: bool,
    #[arg(default_value = ".")]
    dir: PathBuf,
    #[serde(default)]
    other: u8,
}

fn app() -> Command {
    Command::new("x")
        .arg(Arg::new("level").long("level").default_value("3").help("Level"))
        .arg(Arg::new("file").default_value("a.txt"))
        .arg(Arg::new("none").long("none").help("None"))
}
"#;
    assert_eq!(
        listed("src/main.rs", text),
        [
            "--port-number 80 | Port to listen on; also TLS. | Serve",
            "-m x | Mode | Serve",
            "--sort Sort::Newest |  | Serve",
            "[DIR] . |  | Serve",
            "--level 3 | Level | app",
            "[FILE] a.txt |  | app",
        ]
    );
}

#[test]
fn argparse_and_click() {
    let text = r#"
def build(parser):
    parser.add_argument("-p", "--port", type=int, default=8080, help="The " "port")
    parser.add_argument("path", nargs="?", default=".")
    parser.add_argument("--quiet", action="store_true", default=False)
    parser.add_argument("--verbose", action="count", default=0)
    parser.add_argument("--to", default=DEFAULT)
    parser.add_argument("--levels", default=[1, -2])

@click.command()
@click.option("--count", "-c", default=1, help="How often")
@click.option("--color/--no-color", default=True)
def hello(count):
    option("--none", default=1)
"#;
    assert_eq!(
        listed("cli.py", text),
        [
            "--port 8080 | The port | build",
            "path . |  | build",
            "--levels [1, -2] |  | build",
            "--count 1 | How often | ",
            "--color True |  | ",
        ]
    );
}

#[test]
fn cobra_and_the_flags_of_go() {
    let text = r#"package main

func init() {
	cmd.Flags().StringVarP(&out, "output", "o", "-", "Where to save")
	cmd.PersistentFlags().Int("jobs", 4, "Jobs")
	cmd.Flags().BoolVar(&clean, "clean", false, "Clean")
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Second, "Timeout")
	cmd.Flags().StringSliceP("skip", "s", []string{"a", "b"}, fmt.Sprintf("Skip"))
	cmd.Flags().IntVar(&n, "n", defaultN, "N")
	flag.String("addr", ":80", "Address")
	other.String("addr", ":80", "Address")
}
"#;
    assert_eq!(
        listed("main.go", text),
        [
            "--output - | Where to save | init",
            "--jobs 4 | Jobs | init",
            "--timeout 5*time.Second | Timeout | init",
            "--skip \"a\", \"b\" |  | init",
            "--addr :80 | Address | init",
        ]
    );
}

#[test]
fn commander_and_yargs() {
    let text = r#"
program
  .option('-p, --port <number>', 'The port', '8080')
  .option('--depth <n>', 'Depth', Number, 3)
  .option('--quiet', 'No output')
  .addOption(new Option('-t, --timeout <delay>', 'In seconds').argParser(parse).default(60, 'one minute'));

export function build(yargs) {
  return yargs
    .option('host', { alias: 'h', default: 'localhost', describe: 'Host' })
    .options({ 'dry-run': { default: true, type: 'boolean' }, retries: { default: 2, desc: `Retries` } })
    .default('x', 1);
}
"#;
    assert_eq!(
        listed("cli.js", text),
        [
            "--port 8080 | The port | ",
            "--depth 3 | Depth | ",
            "--timeout 60 | In seconds | ",
            "--host localhost | Host | build",
            "--dry-run true |  | build",
            "--retries 2 | Retries | build",
        ]
    );
}
