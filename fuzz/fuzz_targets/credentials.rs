#![no_main]

/// A path for each format of credential files and each variant selected by the file name, then
/// files of unknown formats. The first byte of the input selects one.
const PATHS: [&str; 48] = [
    ".env",
    ".npmrc",
    "snmpd.conf",
    ".irssi/config",
    "a.rdp",
    "clouds.yaml",
    ".netrc",
    "running-config",
    ".muttrc",
    "ansible.cfg",
    "config.json",
    ".docker/config.json",
    "auth.json",
    "terraform.tfstate",
    "config.yaml",
    ".kube/config",
    ".github/workflows/ci.yml",
    "docker-compose.yml",
    "pom.xml",
    "web.config",
    "filezilla.xml",
    "favorites.plist",
    "wp-config.php",
    "settings.py",
    "terraform.tfvars",
    ".bash_history",
    ".bashrc",
    "deploy.sh",
    "dump.sql",
    ".pgpass",
    ".htpasswd",
    "etc/shadow",
    ".git-credentials",
    "chap-secrets",
    "sasl_passwd",
    "auth-user-pass",
    "ipsec.secrets",
    "id_rsa",
    "config/master.key",
    ".vault-token",
    "a.kdbx",
    "passwords.txt",
    "main.py",
    "app.conf",
    "notes",
    "test/a.js",
    "a.ps1",
    "values.toml",
];

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some((&first, rest)) = data.split_first() {
        aidd_fuzz::check(PATHS[usize::from(first) % PATHS.len()], rest);
    }
});
