//! The messages and help texts of the rules. Explanations are in each rule's page.

use super::Credentials;
use crate::Checks;

macro_rules! rules {
    ($($id:literal: $message:literal, $help:literal;)*) => {
        /// All rules on credentials.
        pub(crate) const CHECKS: Checks<Credentials> = &[
            $(($id, |found, report| found.report($id, $message, $help, report)),)*
        ];
    };
}

rules! {
    "secrets/ansible-password": "Ansible password in plain text",
        "Encrypt it with `ansible-vault encrypt_string`, and change the password on the hosts";
    "secrets/application-server-password": "password in the settings of an application server",
        "Read it from the environment or the server's own vault, and change it";
    "secrets/aws-credentials-file": "AWS credential in a credentials file",
        "Deactivate the key in IAM, and use short-lived credentials (IAM Identity Center, roles)";
    "secrets/browser-saved-login": "saved login of a browser profile",
        "Remove the profile from the repository and change the passwords saved in it";
    "secrets/chat-client-password": "password of a chat or game server in plain text",
        "Change it, and keep the file out of the repository";
    "secrets/ci-secret": "secret in plain text in a pipeline definition",
        "Move it to the secret store of the CI service and refer to it by name";
    "secrets/cloud-cli-credentials": "credential of a command line tool",
        "Revoke it, and keep the tool's credential file out of the repository";
    "secrets/config-password": "secret in plain text in a settings file",
        "Read it from the environment or a secret store, and change it";
    "secrets/connection-string-password": "password in a connection string",
        "Take the password from the environment or a secret store, and change it";
    "secrets/database-config-password": "database password in plain text",
        "Read it from the environment or a secret store, and change it";
    "secrets/django-secret-key": "Django SECRET_KEY in plain text",
        "Generate a new key and read it from the environment";
    "secrets/docker-config-auth": "registry login in a Docker configuration",
        "Run `docker logout`, revoke the token, and use a credential helper";
    "secrets/env-file-secret": "secret in a dotenv file",
        "Remove the file from the repository, list it in .gitignore, and change the secret";
    "secrets/filezilla-password": "password saved by FileZilla",
        "Change it on the server, and keep FileZilla's files out of the repository";
    "secrets/ftp-client-password": "password in the settings of an upload tool",
        "Change it on the server, use a key instead, and list the file in .gitignore";
    "secrets/generic-password": "password in plain text",
        "Read it from the environment or a secret store, and change it";
    "secrets/generic-secret": "secret in plain text",
        "Read it from the environment or a secret store, and revoke it";
    "secrets/git-credentials": "Git credential in plain text",
        "Revoke it, and use a credential helper that stores it in the system keychain";
    "secrets/htpasswd-hash": "password hash of a web server account",
        "Exclude the file from the repository, and change the password";
    "secrets/key-store": "key store in the repository",
        "Move the key store to a secret manager, and replace the keys in it";
    "secrets/kubeconfig-credentials": "cluster credential in a kubeconfig",
        "Revoke it, and use an exec plugin that fetches short-lived credentials";
    "secrets/kubernetes-secret": "value of a Kubernetes Secret in plain text",
        "Move it to a secret store, or commit a sealed or encrypted form, and change it";
    "secrets/login-call-password": "password in a login call",
        "Read it from the environment or a secret store, and change it";
    "secrets/mail-client-password": "mail password in plain text",
        "Change it, and have the program read it from a keychain (`passwordeval` or similar)";
    "secrets/netrc-password": "password in a netrc file",
        "Change it, and keep the file out of the repository";
    "secrets/network-service-password": "password or community string of a network service",
        "Change it, and move it to a file that only the service can read";
    "secrets/npmrc-auth-token": "registry credential in a package manager's settings",
        "Revoke the token, and write `${NPM_TOKEN}` in its place";
    "secrets/package-registry-credentials": "registry credential in a package manager's settings",
        "Revoke it, and read it from the environment";
    "secrets/password-database": "password database in the repository",
        "Remove it from the repository and its history, and change the passwords in it";
    "secrets/password-hash": "password hash in a settings file",
        "Move it to a secret store, and change the password";
    "secrets/pgpass-password": "database password in a pgpass file",
        "Change it, and keep the file out of the repository";
    "secrets/private-key-file": "private key",
        "Replace the key pair, and keep the private key out of the repository";
    "secrets/rails-master-key": "Rails master key",
        "Generate a new key, set it in RAILS_MASTER_KEY, and change the secrets that the old key protected";
    "secrets/rails-secret-key-base": "key that signs sessions (secret_key_base) in plain text",
        "Generate a new key, and read it from the environment or the encrypted credentials";
    "secrets/remote-desktop-password": "password in a remote desktop file",
        "Change it, and have the client prompt for it";
    "secrets/script-secret": "secret on a command line in a script",
        "Read it from the environment or a file with restricted permissions, and change it";
    "secrets/secret-file": "file that contains a secret",
        "Move it to a secret store, list the file in .gitignore, and change the secret";
    "secrets/secret-list": "secret in a list of secrets",
        "Move the list to a password manager, and change the secrets in it";
    "secrets/shadow-hash": "password hash of a system account",
        "Remove the file from the repository, and change the password";
    "secrets/shell-history-secret": "secret on a command line in a history file",
        "Remove the history from the repository, and change the secret";
    "secrets/shell-profile-secret": "secret in a shell profile",
        "Load it from a keychain or an ignored file, and change it";
    "secrets/sql-password-hash": "password hash in SQL",
        "Exclude the column from dumps, and reset the passwords of the accounts";
    "secrets/sql-user-password": "account password in SQL",
        "Pass it as a variable, and change it";
    "secrets/terraform-state-secret": "secret in Terraform state",
        "Keep state in an encrypted remote backend, and change the secret";
    "secrets/terraform-variable-secret": "secret in plain text in Terraform",
        "Declare the variable as `sensitive`, set it through the environment, and change the secret";
    "secrets/vault-password-file": "password of an Ansible vault",
        "Read the password from a keychain with a script, and rekey the vault";
    "secrets/vpn-secret": "VPN secret in plain text",
        "Change it on both sides, and keep the file out of the repository";
    "secrets/web-framework-secret": "secret key of a web framework in plain text",
        "Generate a new key, and read it from the environment";
    "secrets/wifi-password": "wireless network password in plain text",
        "Change it, and keep the file out of the repository";
    "secrets/wordpress-salt": "WordPress key or salt in plain text",
        "Generate new keys and salts, and read them from the environment";
}
