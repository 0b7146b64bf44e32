//! Which files are known to hold credentials, how they are written, and what of them is secret.

use super::values::Trust;
use std::collections::HashMap;
use std::sync::LazyLock;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `key = value` by line, in sections or not.
    Settings,
    /// Words in a row, a secret follows its name: netrc and its kin.
    Words,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// XML.
    Xml,
    /// Source code: assignments of literals.
    Code,
    /// Shell: assignments and commands.
    Shell,
    /// SQL: dumps, statements, histories of them.
    Sql,
    /// `host:port:database:user:password`
    Pgpass,
    /// `user:hash`
    Htpasswd,
    /// `user:hash:…`, as in shadow, passwd and smbpasswd.
    Shadow,
    /// URLs with a password, one a line.
    Urls,
    /// `client server secret addresses`
    Chap,
    /// `host user:password`
    Sasl,
    /// User, then password, a line each.
    TwoLines,
    /// `… : PSK "secret"`
    Ipsec,
    /// A key, all of it.
    Key,
    /// One secret is all there is.
    Whole,
    /// A store of secrets whose content is not text.
    Store,
    /// A list of values that the file's name calls secret.
    Values,
}

/// A family of files.
#[derive(Debug)]
pub(crate) struct Format {
    /// Names (`.netrc`), ends of paths (`.docker/config.json`) or names with one `*`, lower case.
    names: &'static [&'static str],
    pub(crate) form: Form,
    /// The rule that its plain secrets belong to.
    pub(crate) rule: &'static str,
    /// Names that are secret in these files only, lower case, letters and digits.
    pub(crate) keys: &'static [&'static str],
}

const fn format(
    names: &'static [&'static str],
    form: Form,
    rule: &'static str,
    keys: &'static [&'static str],
) -> Format {
    Format { names, form, rule, keys }
}

/// The format of the file at `path`, and how far to trust what it holds.
pub(crate) fn of(path: &str) -> Option<(&'static Format, Trust)> {
    let lower = path.to_ascii_lowercase();
    let (plain, trust) = without_suffix(&lower);
    let name = plain.rsplit('/').next().unwrap_or(plain);
    let named = NAMES.get(name).into_iter().flatten().find(|(pattern, _)| {
        plain.strip_suffix(*pattern).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    });
    let found = named.map(|&(_, format)| format).or_else(|| {
        let hit = STARS.iter().find(|(start, end, _)| {
            let tail = tail(plain, start.matches('/').count());
            tail.len() >= start.len() + end.len() && tail.starts_with(start) && tail.ends_with(end)
        });
        hit.map(|&(_, _, format)| format)
    })?;
    let is_sample = ["example", "sample", "template"].iter().any(|word| name.contains(word));
    // In a library a file called `credentials.py` is about credentials.
    let is_library = found.form == Code
        && ["site-packages/", "dist-packages/", "node_modules/", "vendor/"]
            .iter()
            .any(|folder| plain.contains(folder));
    Some((found, if is_sample || is_library { Trust::Low } else { trust }))
}

/// The last segment of `path`, with `folders` folders before it.
fn tail(path: &str, folders: usize) -> &str {
    path.rmatch_indices('/').nth(folders).map_or(path, |(at, _)| &path[at + 1..])
}

/// The path without what marks a copy; a sample's values are not the real ones.
fn without_suffix(path: &str) -> (&str, Trust) {
    const COPIES: [&str; 8] = [".bak", ".old", ".orig", ".save", ".backup", "~", ".1", ".swp"];
    const SAMPLES: [&str; 11] = [
        ".example", ".sample", ".dist", ".template", ".tmpl", ".tpl", ".default", ".j2", ".erb",
        ".in", ".schema.json",
    ];
    if let Some(rest) = SAMPLES.iter().find_map(|end| path.strip_suffix(end)) {
        return (rest, Trust::Low);
    }
    let plain = COPIES.iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    (plain, Trust::High)
}

type ByName = HashMap<&'static str, Vec<(&'static str, &'static Format)>>;

/// The formats by the last segment of their patterns, longest pattern first.
static NAMES: LazyLock<ByName> = LazyLock::new(|| {
    let mut names = ByName::new();
    for format in FORMATS {
        for pattern in format.names.iter().filter(|pattern| !pattern.contains('*')) {
            let name = pattern.rsplit('/').next().unwrap_or(pattern);
            names.entry(name).or_default().push((pattern, format));
        }
    }
    for patterns in names.values_mut() {
        patterns.sort_by_key(|(pattern, _)| std::cmp::Reverse(pattern.len()));
    }
    names
});

/// What a name starts and ends with, and the format; the more telling first.
static STARS: LazyLock<Vec<(&'static str, &'static str, &'static Format)>> = LazyLock::new(|| {
    let mut stars: Vec<_> = FORMATS
        .iter()
        .flat_map(|format| format.names.iter().map(move |name| (name, format)))
        .filter_map(|(name, format)| name.split_once('*').map(|(start, end)| (start, end, format)))
        .collect();
    stars.sort_by_key(|(start, end, _)| std::cmp::Reverse(start.len() + end.len()));
    stars
});

use Form::{
    Chap, Code, Htpasswd, Ipsec, Json, Key, Pgpass, Sasl, Settings, Shadow, Shell, Sql, Store,
    TwoLines, Urls, Values, Whole, Words, Xml, Yaml,
};

static FORMATS: &[Format] = &[
    // Package managers.
    format(
        &[".npmrc", "npmrc", ".yarnrc", ".yarnrc.yml", ".bowerrc", "bunfig.toml"],
        Settings,
        "secrets/npmrc-auth-token",
        &["auth", "password", "npmauthident"],
    ),
    format(
        &[
            ".pypirc", "pip.conf", "pip.ini", ".condarc", "condarc", ".config/pypoetry/auth.toml",
            "pypoetry/auth.toml", ".gem/credentials", ".cargo/credentials.toml", ".cargo/credentials",
            ".bundle/config", "gradle.properties", "local.properties", ".cabal/config", ".hex/hex.config",
            ".conan/.conanrc", ".sbt/.credentials", ".ivy2/.credentials", "uv.toml", "poetry.toml",
        ],
        Settings,
        "secrets/package-registry-credentials",
        &["rubygemsapikey", "password", "token", "bundlegemscontribsyscom", "bundlerubygemspkggithubcom"],
    ),
    format(
        &["auth.json", "composer/auth.json", ".composer/auth.json", ".conan2/credentials.json"],
        Json,
        "secrets/package-registry-credentials",
        &["key", "auth", ">githuboauth", ">gitlabtoken", ">gitlaboauth", ">bearer"],
    ),
    format(
        &["nuget.config", ".m2/settings.xml", "settings.xml", "settings-security.xml"],
        Xml,
        "secrets/package-registry-credentials",
        &["cleartextpassword"],
    ),
    // Logins of command line tools.
    format(
        &[".netrc", "_netrc", ".authinfo", "netrc"],
        Words,
        "secrets/netrc-password",
        &[],
    ),
    format(
        &[".git-credentials", "git-credentials", ".git/config", ".gitconfig", ".hgrc", ".svn/config"],
        Urls,
        "secrets/git-credentials",
        &[],
    ),
    format(
        &[
            ".docker/config.json", ".dockercfg", ".dockerconfigjson", "docker/config.json",
            "containers/auth.json", "docker-config.json", "dockerconfig.json",
        ],
        Json,
        "secrets/docker-config-auth",
        &["auth", "password", "identitytoken", "registrytoken"],
    ),
    format(
        &[".kube/config", "kubeconfig", "*.kubeconfig", "kubeconfig.yml", "kubeconfig.yaml",
            "k3s.yaml", "admin.conf"],
        Yaml,
        "secrets/kubeconfig-credentials",
        &["clientkeydata", "token", "password", "accesstoken", "idtoken", "refreshtoken"],
    ),
    // Clouds.
    format(
        &[".aws/credentials", ".aws/config", "aws/credentials", "aws_credentials", ".passwd-s3fs",
            "passwd-s3fs", "rootkey.csv", "credentials.csv", "accesskeys.csv", "*_accesskeys.csv"],
        Settings,
        "secrets/aws-credentials-file",
        &["awsaccesskeyid", "accesskeyid", "awssessiontoken", "awssecretkey", "awsaccesskey"],
    ),
    format(
        &[
            ".boto", "boto.cfg", ".s3cfg", "s3cfg", ".s3ql/authinfo2", "rclone.conf", ".ossutilconfig",
            ".oci/config", "doctl/config.yaml", ".doctlcfg", ".tugboat", ".credentials", "credentials",
            ".openstack", "openrc", "openrc.sh", "clouds.yaml", "*-openrc.sh", ".exoscale.toml",
            ".linode-cli", "linode-cli", ".vultr-cli.yaml", ".hcloud.toml", ".config/hub", "hub",
            "gh/hosts.yml", "hosts.yml", ".gist", ".sentryclirc", ".trc", ".databrickscfg", ".edgerc",
            ".transifexrc", ".snowsql/config", "snowsql/config", "cloudflared.yml", ".surgerc",
            ".terraformrc", "terraform.rc", "credentials.tfrc.json", ".kaggle/kaggle.json", ".vercel/auth.json",
            ".netlify/config.json", ".fly/config.yml", ".ngrok2/ngrok.yml", "ngrok.yml", ".wakatime.cfg",
            ".recurly", ".todo/config", ".travis/config.yml", ".circleci/cli.yml", "glab-cli/config.yml",
            ".jira.d/config.yml", ".vault-token", ".config/doctl/config.yaml", ".config/gh/hosts.yml",
        ],
        Settings,
        "secrets/cloud-cli-credentials",
        &[
            "accesskey", "secretkey", "accesskeyid", "accesskeysecret", "apikey", "clientkey",
            "oauthtoken", "accesstoken", "gssecretaccesskey", "gsaccesskeyid", "gsoauth2refreshtoken",
            "keyid", "pass", "token", "gpgpassphrase", "authtoken", "awsaccesskeyid", "clientsecret",
            "password", "awssecretaccesskey", "secretaccesskey", "sessiontoken", "key",
        ],
    ),
    format(
        &[
            "application_default_credentials.json", ".trc.json", "gcloud/credentials.json", "credentials.json",
            "client_secret*.json", "client_secrets.json", "service-account*.json",
            "service_account*.json", "serviceaccount*.json", "gcloud*.json", "firebase*.json",
            "google-credentials.json", "azureprofile.json", "accesstokens.json", "azureauth.json",
            "msal_token_cache.json", "heroku.json", "token.json", "tokens.json", "oauth.json",
            "kaggle.json", "keyfile.json", "gcp*.json", "*-credentials.json", "*_credentials.json",
            "secrets.json", "creds.json", "*-secrets.json", "apikeys.json", "api_keys.json",
        ],
        Json,
        "secrets/cloud-cli-credentials",
        &["privatekey", "clientsecret", "refreshtoken", "accesstoken", "apikey", "key", "authtoken"],
    ),
    // Databases.
    format(&[".pgpass", "pgpass.conf", "pgpass", "*.pgpass"], Pgpass, "secrets/pgpass-password", &[]),
    format(
        &[
            ".my.cnf", "my.cnf", "my.ini", "mysql.cnf", "client.cnf", "debian.cnf", ".mylogin.cnf",
            "redis.conf", "sentinel.conf", "redis-*.conf", "mongod.conf", "mongodb.conf", "odbc.ini", "mysqld.cnf", "mysql*.cnf", "my*.cnf",
            ".odbc.ini", "freetds.conf", "influxdb.conf", ".pg_service.conf",
            "pg_service.conf", "pgbouncer.ini", "userlist.txt", "neo4j.conf", "cassandra.yaml",
            "cqlshrc", ".cqlshrc", "memcached.conf", "keydb.conf", "dbeaver-data-sources.properties",
        ],
        Settings,
        "secrets/database-config-password",
        &["requirepass", "masterauth", "password"],
    ),
    format(
        &[
            "robomongo.json", "robo3t.json", "credentials-config.json", "dbeaver*.json",
            "data-sources.json", "servers.json", "pgadmin4.json", "ormconfig.json", "mongo.json",
            "database.json", "db.json", "couchdb.json", "redis.json", "mysql.json", "knexfile.json",
            "tableplus.json", "sqltools.json",
        ],
        Json,
        "secrets/database-config-password",
        &["userpassword", "password", "sshuserpassword", "sshpassphrase", "passphrase"],
    ),
    format(
        &["mongoid.yml", "database.yml", "databases.yml", "mongo.yml", "redis.yml", "sequelize.yml",
            "cable.yml", "elasticsearch.yml", "kibana.yml", "couchbase.yml", "dbconfig.yml", "ormconfig.yml"],
        Yaml,
        "secrets/database-config-password",
        &["password", "url", "uri"],
    ),
    format(
        &["datasources.xml", "data-sources.xml", "datasources.local.xml", "*.ncx", "connections.xml",
            "sequelpro.plist", "favorites.plist", "*.spf", "hibernate.cfg.xml", "persistence.xml",
            "context.xml", "workbench_user_data.dat", "*.dbvis"],
        Xml,
        "secrets/database-config-password",
        &["password", "connectionpassword", "hibernateconnectionpassword"],
    ),
    format(
        &["*.sql", "*.psql", "*.mysql", "*.pgsql", "*.ddl", ".psql_history", ".mysql_history", ".sqlite_history",
            ".mariadb_history", "mysql_history", "psql_history", "*.dump"],
        Sql,
        "secrets/sql-user-password",
        &[],
    ),
    // File transfer and remote access.
    format(
        &["filezilla.xml", "sitemanager.xml", "recentservers.xml", "filezilla server.xml", "trustedcerts.xml"],
        Xml,
        "secrets/filezilla-password",
        &["pass", "password", "option"],
    ),
    format(
        &[
            "sftp-config.json", ".vscode/sftp.json", "sftp.json", ".ftpconfig", ".sftpconfig.json",
            ".remote-sync.json", "remote-sync.json", "deployment-config.json", ".ftppass",
            ".deployment-config.json", "ftpsync.settings", ".ftp-simple.json", "ftp-simple.json",
            "ftp.json", ".sftpconfig", ".ftprc", "ftp-sync.json", ".vscode/ftp-sync.json", ".ftpquota",
            "ftp-config.json", "ftpconfig.json", "deploy.json", "uploader.json",
        ],
        Json,
        "secrets/ftp-client-password",
        &["pass", "password", "passphrase", "secret"],
    ),
    format(
        &["webservers.xml", "coda.xml", "*.duck", "*.dreamweaver.ste", "*.ste", "dreamweaver.xml", "transmit.plist"],
        Xml,
        "secrets/ftp-client-password",
        &["password", "passphrase", "pw"],
    ),
    format(
        &["winscp.ini", "wcx_ftp.ini", "smartftp.ini", "ftplist.txt", "ws_ftp.ini", ".lftp/rc",
            "lftp/rc", ".lftprc", "vsftpd.conf", "ncftp.ini", "sites.ini", "*.ftpcfg"],
        Settings,
        "secrets/ftp-client-password",
        &["password", "pwd", "pass"],
    ),
    format(
        &["*.rdg", "confcons.xml", "mremoteng.xml", "*.vncloc", "*.rtsz", "*.rtsx", "asbru.xml"],
        Xml,
        "secrets/remote-desktop-password",
        &["password", "gatewaypassword", "rdgatewaypassword", "vncproxypassword"],
    ),
    format(
        &["*.rdp", "*.remmina", "*.vnc", "ultravnc.ini", "vnc.ini", ".vncrc", "tightvnc.ini",
            "anydesk.conf", "service.conf", "teamviewer.ini", "*.jnlp"],
        Settings,
        "secrets/remote-desktop-password",
        &["password", "passwd", "passwd2", "adpwdhash", "vncpassword", "sshpassword",
            "gatewaypassword"],
    ),
    // Mail.
    format(
        &[".esmtprc", "esmtprc", ".msmtprc", "msmtprc", ".fetchmailrc", "fetchmailrc", ".mbsyncrc",
            "mbsyncrc", ".getmailrc", "getmailrc", ".ssmtp.conf", "ssmtp.conf", ".mpoprc", ".isyncrc",
            "isyncrc"],
        Words,
        "secrets/mail-client-password",
        &["authpass"],
    ),
    format(
        &[".muttrc", "muttrc", ".mutt/muttrc", "neomuttrc", ".offlineimaprc", "offlineimap.conf",
            "offlineimaprc", ".mailrc", "mailrc", "mail.rc", ".alpine.passfile", "accounts.conf", "accountrc",
            ".sieve-connect", "dovecot-ldap.conf.ext", "dovecot-sql.conf.ext", "exim4.conf",
            "mail.ini", "davmail.properties", ".notmuch-config", "aerc/accounts.conf"],
        Settings,
        "secrets/mail-client-password",
        &["imappass", "smtppass", "remotepass", "localpass", "smtpauthpassword", "dnpass"],
    ),
    format(&["sasl_passwd", "sasl_password", "smtp_sasl_passwd", "passwd.client"], Sasl, "secrets/mail-client-password", &[]),
    format(
        &["logins.json", "logins-backup.json"],
        Json,
        "secrets/browser-saved-login",
        &["encryptedpassword", "password"],
    ),
    format(
        &["key4.db", "key3.db", "signons.sqlite", "login data", "logins.db", "signons.txt",
            "signons2.txt", "signons3.txt"],
        Store,
        "secrets/browser-saved-login",
        &[],
    ),
    // Chat and voice.
    format(
        &[".irssi/config", "irssi/config", "irssi.conf", "irc.conf", "weechat.conf", "sec.conf", "servlist.conf",
            "servlist_.conf", "hexchat.conf", "ventrilo_srv.ini", "ventrilo_status.ini", "ts3server.ini", "teamspeak.ini",
            "server.ini", "murmur.ini", "mumble-server.ini", "mumble.ini", "mirc.ini", "perform.ini", "znc.conf",
            "ircd.conf", "unrealircd.conf", "anope.conf", "services.conf", "prosody.cfg.lua", "ejabberd.yml",
            "homeserver.yaml", "server.properties", "server.cfg", "tshock/config.json", "accounts.xml",
            "quasselcore.conf", "bitlbee.conf", ".finchrc", ".mcabberrc", "mcabberrc", "profanity/accounts"],
        Settings,
        "secrets/chat-client-password",
        &["p", "adminpassword", "password", "serverpassword", "rconpassword", "autosendcmd",
            "saslpassword", "pass", "registrationsharedsecret", "macaroonsecretkey", "formsecret",
            "icesecretwrite", "icesecretread", "svpassword", "operpass"],
    ),
    // Web servers and system accounts.
    format(&[".htpasswd", "htpasswd", "*.htpasswd", ".htdigest", "htdigest", "passwords", ".passwd", "svn-auth-file",
        "passwdfile"],
        Htpasswd, "secrets/htpasswd-hash", &[]),
    format(
        &["shadow", "shadow-", "gshadow", "master.passwd", "passwd", "passwd-", "smbpasswd", "proftpdpasswd",
            "proftpd.passwd", "ftpd.passwd", "ftpasswd", "vsftpd.passwd", "pureftpd.passwd", "*.shadow",
            "dovecot.passwd", "dovecot-users", "dovecot/users", "dovecot/passwd", "opasswd", "virtual_users.txt"],
        Shadow,
        "secrets/shadow-hash",
        &[],
    ),
    format(
        &[".smbcredentials", "smbcredentials", ".credentials.smb", ".smbcreds", "smb.cred", "cifs.credentials",
            "*.smbcredentials", ".smb.conf", "smbclient.conf", "autofs.creds"],
        Settings,
        "secrets/network-service-password",
        &["password"],
    ),
    format(
        &["wpa_supplicant.conf", "wpa_supplicant-*.conf", "*.nmconnection", "hostapd.conf",
            "wireless.conf", "interfaces", "connman.config", "*.psk"],
        Settings,
        "secrets/wifi-password",
        &["psk", "wepkey0", "wepkey1", "wepkey2", "wepkey3", "wpapassphrase", "wpapsk", "password",
            "privatekeypasswd", "leappassword", "wirelesskey"],
    ),
    format(
        &["auth-user-pass", "auth-user-pass.txt", "openvpn-auth.txt", "openvpn/auth.txt",
            "openvpn/credentials", "openvpn/pass.txt", "vpn-auth.txt", "vpn.auth", "vpnpass.txt",
            "openvpn/login.conf", "vpn-credentials.txt", "openvpn/client/auth.txt", "userpass.txt"],
        TwoLines,
        "secrets/vpn-secret",
        &[],
    ),
    format(&["ipsec.secrets", "*.secrets"], Ipsec, "secrets/vpn-secret", &[]),
    format(&["chap-secrets", "pap-secrets", "srp-secrets"], Chap, "secrets/vpn-secret", &[]),
    format(
        &["vpnc.conf", "*.pcf", "vpnc/default.conf", "racoon.conf", "wg0.conf", "wg*.conf", "*.ovpn",
            "openfortivpn.conf", "openfortivpn/config", "swanctl.conf", "strongswan.conf", "xl2tpd.conf"],
        Settings,
        "secrets/vpn-secret",
        &["privatekey", "presharedkey", "ipsecsecret", "xauthpassword", "password", "secret",
            "encgrouppwd", "grouppwd", "userpassword"],
    ),
    format(
        &["snmpd.conf", "snmp.conf", "slapd.conf", "ldap.conf", "nslcd.conf", "ldap.secret",
            "clients.conf", "radiusclient.conf", "radius/servers", "radiusclient/servers", "nss_ldap.conf", "pam_ldap.conf",
            "sssd.conf", "libnss-ldap.conf", "rndc.key", "named.conf", "named.conf.*", "zabbix_server.conf", "zabbix_agentd.conf",
            "nagios.cfg", "nrpe.cfg", "resource.cfg", "icinga2.conf", "ipmi.conf", "tac_plus.conf",
            "squid.conf", "ddclient.conf", "inadyn.conf", "ez-ipupd.conf", "krb5.conf", "sip.conf",
            "pjsip.conf", "manager.conf", "iax.conf", "voicemail.conf", "freeswitch/vars.xml",
            "monitrc", "ntp.keys", "collectd.conf", "turnserver.conf", "*.ldif"],
        Settings,
        "secrets/network-service-password",
        &["rootpw", "bindpw", "rocommunity", "rwcommunity", "rocommunity6", "rwcommunity6",
            "secret", "ldapdefaultauthtok", "userpassword", "password", "remotesecret", "key",
            "staticauthsecret"],
    ),
    format(&["*.keytab", "krb5.keytab"], Store, "secrets/key-store", &[]),
    // Web frameworks and applications.
    format(
        &[
            ".env", ".env.*", "*.env", "env", ".envrc", ".flaskenv", "dotenv", "*.dotenv", ".dev.vars",
            ".env-*", ".env_*", "secrets.env", "docker.env", ".secrets", "secrets.txt.env",
            "environment", ".env.local", ".environment",
        ],
        Settings,
        "secrets/env-file-secret",
        &["awsaccesskeyid", "stripekey", "stripesecret", "mailgunsecret", "pusherappsecret", "secret"],
    ),
    format(
        &[
            "wp-config.php", "wp-config*.php", "*config.php", "*config.inc.php", "*settings.php", "*.env.php", "config*.php", "config.php", "config.inc.php", "configuration.php",
            "settings.php", "settings.local.php", "local.php", "parameters.php", "database.php", "db.php",
            "app.php", "app_local.php", "env.php", "localsettings.php", "config_inc.php", "connect.php",
            "connection.php", "dbconnect.php", "db_connect.php", "db-config.php", "dbconfig.php", "conf.php", "mail.php",
            "services.php", "local.xml.php", "config.db.php", "db.inc.php", "settings.inc.php", "credentials.php",
            "secrets.php", "config-local.php", "config.local.php", "main-local.php", "params-local.php", "global.php",
            "config.*.php",
        ],
        Code,
        "secrets/config-password",
        &["hashsalt", "blowfishsecret", "cryptkey", "cookiekey", "cookieiv", "sitekey", "authkey", "salt", "mysqlpass",
            "dbpw", "cookievalidationkey"],
    ),
    format(
        &["settings.py", "local_settings.py", "settings_local.py", "settings_*.py", "config.py", "secrets.py", "credentials.py",
            "local_config.py", "jupyter_notebook_config.py", "jupyter_server_config.py", "superset_config.py",
            "jupyterhub_config.py", "production.py", "settings/*.py", "webserver_config.py", "pgadmin_config.py",
            "config_local.py", "production_settings.py", "creds.py", "secret.py", "constants_secret.py"],
        Code,
        "secrets/config-password",
        &["apikey", "notebookapppassword"],
    ),
    format(
        &["secret_token.rb", "secret_token.rb", "devise.rb", "session_store.rb", "omniauth.rb", "knife.rb", "client.rb",
            "config.rb", "secrets.rb", "production.rb", "carrierwave.rb", "fog.rb", "stripe.rb", "gitlab.rb", "puma.rb",
            "config.js", "config.ts", "config.mjs", "secrets.js", "secret.js", "credentials.js", "creds.js", "keys.js", "default.js",
            "production.js", "ormconfig.js", "ormconfig.ts", "knexfile.js", "database.js", "db.js",
            "ecosystem.config.js", "config.lua", "config.pl", "config.cfm", "application.cfc", "config.exs", "prod.secret.exs", "dev.secret.exs",
            "prod.exs", "runtime.exs", "dev.exs", "config.groovy", "application.groovy", "vars.groovy",
            "environment.prod.ts", "environment.ts", "environment.js", "salesforce.js", "salesforce.py", "localsettings.js"],
        Code,
        "secrets/config-password",
        &["secretkeybase", "signingsalt", "pepper", "saltsecret"],
    ),
    format(
        &["config/secrets.yml", "secrets.yml", "secrets.yaml", "secret.yml", "secret.yaml", "credentials.yml", "credentials.yaml",
            "application.yml", "application.yaml", "application-*.yml", "application-*.yaml", "bootstrap.yml", "bootstrap.yaml",
            "parameters.yml", "parameters.yaml", "config/config.yml", "config.yml", "config.yaml", "settings.yml", "settings.yaml", "config/settings.yml",
            "app.yaml", "app.yml", "local.yml", "local.yaml", "production.yml", "production.yaml", "prod.yml", "staging.yml", "development.yml",
            "gitlab.yml", "configuration.yml", "sidekiq.yml", "services.yml", "services.yaml", "security.yml", "storage.yml", "omniauth.yml",
            "newrelic.yml", "shards.yml", "sentry.yml", "smtp.yml", "mail.yml", "email.yml", "s3.yml", "amazon_s3.yml", "aws.yml", "fog.yml", "facebook.yml", "twitter.yml",
            "sunspot.yml", "schleuder.yml", "hub.yml", "env.yml", "env.yaml", "passwords.yml", "keys.yml", "connections.yml", "datasource.yml", "datasources.yaml", "alertmanager.yml", "prometheus.yml", "airflow.yaml", "serverless.yml", "superset.yml", "users.yml", "searchguard.yml", "internal_users.yml"],
        Yaml,
        "secrets/config-password",
        &["licensekey", "secretkeybase", "otpsecret", "secret", "hash"],
    ),
    format(
        &["appsettings.json", "appsettings.*.json",
            "local.settings.json", "config.json", "config.*.json", "config/default.json", "default.json", "config/production.json", "production.json", "prod.json", "settings.json", "local.json", "parameters.json", "env.json",
            "conf.json", "slack.json", "bot.json", "bot-config.json", "discord.json", "botconfig.json", "auth_config.json", "config.local.json", "keys.json", "password.json", "passwords.json", "credentials.*.json", "app.json", "users.json", "data.json", "account.json", "accounts.json", "mail.json", "email.json", "smtp.json", "development.json", "environment.json"],
        Json,
        "secrets/config-password",
        &["botkey", "webhooktoken", "machinekey", "decryptionkey", "validationkey", "secretkey"],
    ),
    format(
        &["tomcat-users.xml", "web.config", "*.cscfg", "configuration.xml", "web.*.config", "app.config", "*.exe.config", "connectionstrings.config", "secrets.config", "jetty-realm.xml", "domain.xml", "standalone.xml", "standalone-*.xml", "weblogic.xml", "config.xml", "local.xml", "server.xml", "ra.xml", "*-ds.xml",
            "login-config.xml", "users.xml", "applicationcontext.xml", "applicationcontext-*.xml", "activemq.xml", "credentials.xml", "activemq-users.xml", "struts.xml", "log4j.xml", "web.xml", "spring-*.xml", "dbconfig.xml", "crowd.xml", "confluence.cfg.xml", "publish_over_ssh.xml", "jenkins.plugins.publish_over_ssh.bapsshpublisherplugin.xml", "hudson.tasks.mailer.xml", "beans.xml", "*.xml.config", "settings.config", "sitecore.config", "*.pubxml.user", "*.publishsettings", "*.pubxml", "unattend.xml", "autounattend.xml", "sysprep.xml", "groups.xml", "scheduledtasks.xml", "printers.xml", "drives.xml", "vault.xml", "owncloud.xml"],
        Xml,
        "secrets/application-server-password",
        &["password", "userpwd", "cpassword", "administratorpassword", "secret", "passphrase"],
    ),
    format(
        &[
            "application.properties", "application-*.properties", "config.properties", "database.properties", "db.properties", "jdbc.properties",
            "mgmt-users.properties", "application-users.properties", "boot.properties", "sonar.properties", "sonar-project.properties",
            "sonar-scanner.properties", "jboss.properties", "airflow.cfg", "grafana.ini", "custom.ini", "defaults.ini", "superset.ini", "rabbitmq.conf", "rabbitmq.config",
            "couchdb.ini", "local.ini", "app.ini", "gitea.ini", "odoo.conf", "openerp-server.conf", "php.ini", ".user.ini", "uwsgi.ini", "celeryconfig.ini",
            "production.ini", "development.ini", "config.ini", "settings.ini", "database.ini", "db.ini", "secrets.ini", "credentials.ini", "parameters.ini", "configuration.ini", "application.ini", "phinx.ini",
            "config.toml", "secrets.toml", ".streamlit/secrets.toml", "settings.toml", "config.cfg", "settings.cfg", "setup.local.cfg", "config.conf", "application.conf", "app.conf", "db.conf", "secrets.conf", "nova.conf", "keystone.conf", "cinder.conf", "neutron.conf", "glance-api.conf", "heat.conf", "admin-password", "glassfish.properties", "keystore.properties", "key.properties", "signing.properties", "release.properties", "mail.properties", "system.properties", "liquibase.properties", "flyway.conf", "flyway.properties", "hibernate.properties", "persistence.properties", "gradle-local.properties", "build.properties", "secret.properties", "secrets.properties", "credentials.properties", "passwords.properties", "users.properties", "jmxremote.password", "password.properties", "connection.properties", "aws.properties", "awscredentials.properties", "log4j.properties", "wallet.properties", "quartz.properties", "netbox.conf", "matomo.ini", "transmission.ini", "deluge.conf", "sabnzbd.ini", "nzbget.conf", "sickbeard.ini", "transmission-daemon/settings.json", "aria2.conf", "qbittorrent.conf", "supervisord.conf", "motion.conf", "vault.conf", "nginx.conf", "haproxy.cfg", "logstash.conf", "filebeat.conf", "fluent.conf", "td-agent.conf", "telegraf.conf", "burp.conf", "bacula-*.conf", "bconsole.conf", "duplicity.conf", "restic.conf", "borgmatic.conf", ".borg_passphrase", "davfs2.conf", "davfs2/secrets", "cvspass", ".cvspass", ".subversion/auth", "moin.conf", "trac.ini",
        ],
        Settings,
        "secrets/config-password",
        &["password", "fernetkey", "adminpassword", "secretkey", "adminpasswd", "sonarlogin", "sonartoken", "defaultpass", "insecurepassword", "storepassword", "keypassword"],
    ),
    format(&["master.key", "config/master.key", "config/credentials/*.key", "credentials.key", "production.key.enc"], Whole, "secrets/rails-master-key", &[]),
    // Continuous integration.
    format(
        &[".travis.yml", "circle.yml", ".github/workflows/*.yml", ".github/workflows/*.yaml", "jenkinsfile.yml", ".drone/*.yml", ".circleci/config.yml", ".gitlab-ci.yml", ".gitlab-ci.yaml", "bitbucket-pipelines.yml", "azure-pipelines.yml", "appveyor.yml",
            ".appveyor.yml", ".drone.yml", "buildspec.yml", "cloudbuild.yaml", "codeship-services.yml", "wercker.yml", ".woodpecker.yml", "buildkite.yml", "pipeline.yml", "action.yml", ".semaphore/semaphore.yml", "shippable.yml", "concourse.yml", "bamboo.yml", "codemagic.yaml"],
        Yaml,
        "secrets/ci-secret",
        &[],
    ),
    // Infrastructure.
    format(&["*.tfstate", "terraform.tfstate", "*.tfstate.backup"], Json, "secrets/terraform-state-secret", &["result", "privatekeypem", "privatekeyopenssh", "secret", "masterpassword", "administratorloginpassword", "primaryaccesskey", "secondaryaccesskey", "bcrypthash"]),
    format(&["*.tfvars", "*.tfvars.json", "*.auto.tfvars", "terraform.tfvars", "*.hcl", "*.tf", "variables.pkr.hcl"], Code, "secrets/terraform-variable-secret", &["accesskey", "secretkey", "awsaccesskey"]),
    format(&["pulumi.*.yaml", "pulumi.yaml", "values.yaml", "values.yml", "values-*.yaml", "values.*.yaml", "docker-compose.yml", "docker-compose.yaml", "docker-compose.*.yml", "docker-compose-*.yml", "compose.yml", "compose.yaml", "docker-stack.yml", "docker-cloud.yml", "stack.yml", "crossplane.yaml", "cloud-config.yml", "user-data", "user-data.yml", "cloud-init.yml", "playbook.yml", "site.yml", "vault.yml", "kustomization.yaml", "secret*.yaml", "*-secret.yaml", "*-secret.yml", "*-secrets.yaml", "*-secrets.yml", "hiera.yaml", "common.yaml", "pillar.sls", "secrets.sls", "*.sls", "*.eyaml", "puppet.yaml"], Yaml, "secrets/config-password", &["password", "secret"]),
    format(&["group_vars/*", "host_vars/*", "group_vars/all", "group_vars/all.yml", "host_vars/all.yml", "all.yml", "main.yml", "inventory.yml", "inventory.yaml", "hosts.yaml", "vars.yml", "vars.yaml", "defaults/main.yml", "vars/main.yml"], Yaml, "secrets/ansible-password", &["ansiblepassword", "ansiblesshpass", "ansiblebecomepass", "ansiblebecomepassword", "ansiblesudopass"]),
    format(&["inventory", "hosts", "inventory.ini", "hosts.ini", "ansible.cfg", "inventory/hosts", "ansible/hosts", "*.inventory"], Words, "secrets/ansible-password", &["ansiblepassword", "ansiblesshpass", "ansiblebecomepass", "ansiblebecomepassword", "ansiblesudopass", "ansiblesshprivatekeypassphrase"]),
    format(&[".vault_pass", ".vault_pass.txt", "vault_pass.txt", ".vault-password", "vault-password", ".vault_password", "vault_password", "vault_password_file", ".vaultpass", "vault-pass", "vaultpass", "ansible-vault-password", ".ansible_vault_password", "ansible_vault_pass.txt"], Whole, "secrets/vault-password-file", &[]),
    format(&["encrypted_data_bag_secret", "data_bag_secret", "encrypted_data_bag_key", "data_bag_key", "secret_key_base", "secret.key", "django_secret.txt", "secretkey.txt", "secret_key.txt", ".secret_key", "secret_key", "secret.txt", "password.txt", "passwd.txt", ".password", "pass.txt", ".vault-token", "ldap.secret", "rsyncd.password", "rsync.pass", ".rsync_pass", "jenkins_token", "token.txt", "api_key.txt", "apikey.txt", "cookie.erlang", ".erlang.cookie", "initialadminpassword", "hudson.util.secret", "github_token", ".gh_token", ".github_token", ".slack-token", ".npm-token", ".rvmrc.token", "db_password.txt", "db_root_password.txt", "gnupg_passphrase", "zeppelin.secret"], Whole, "secrets/secret-file", &[]),
    format(&["rsyncd.secrets", "passwords.txt", "logins.txt", "credentials.txt", "creds.txt", "secrets.txt", "keys.txt", "api*keys.txt", "pw.txt", "high-entropy*.txt", "*-keys.txt", "*_keys.txt", "*-tokens.txt", "tokens.txt", "api-keys.txt", "api_keys.txt", "passlist.txt", "access_keys.txt", "logins.csv", "passwords.csv", "lastpass*.csv", "bitwarden*.csv", "1password*.csv", "dashlane*.csv", "chrome passwords.csv", "keepass*.csv", "*passwords.csv"], Values, "secrets/secret-list", &[]),
    // Shells.
    format(
        &[".bashrc", ".bash_profile", ".profile", ".zshrc", ".zprofile", ".zshenv", ".bash_aliases", ".aliases", ".exports", ".extra", ".cshrc", ".tcshrc", ".kshrc", "config.fish",
            ".bash_login", ".login", ".functions", ".localrc", ".private", "bashrc", "zshrc", "bash_profile", "profile", ".xprofile", ".xinitrc", "microsoft.powershell_profile.ps1", "profile.ps1"],
        Shell,
        "secrets/shell-profile-secret",
        &[],
    ),
    format(
        &[".bash_history", ".zsh_history", ".sh_history", ".history", ".zhistory", "bash_history", "zsh_history", "fish_history", "consolehost_history.txt", ".ash_history", ".python_history", ".irb_history", ".rediscli_history", ".mongo_history", ".dbshell", ".node_repl_history", ".ksh_history"],
        Shell,
        "secrets/shell-history-secret",
        &[],
    ),
    // Keys and stores.
    format(
        &["id_rsa", "otr.private_key", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss", "identity", "*_rsa", "*_dsa", "*_ed25519", "*_ecdsa", "*.pem", "*.key", "*.ppk", "*.asc", "*.p8", "*.pkcs8", "*.openssh", "*.rsa", "ssh_host_*_key", "secring.asc", "*.gpg.asc", "*.pgp", "*.pk8"],
        Key,
        "secrets/private-key-file",
        &[],
    ),
    format(
        &["*.kdbx", "*.kdb", "*.psafe3", "*.agilekeychain", "*.opvault", "*.1pif", "*.1pux", "*.keychain", "*.keychain-db", "*.kwallet", "*.pwsafe", "*.enpassdb", "*.walletx", "default.keyring", "login.keyring", "*.keyring", "passwords.kdbx", "*.enpassdbsync", "wallet.dat", "*.rtcwallet"],
        Store,
        "secrets/password-database",
        &[],
    ),
    format(
        &["*.jks", "*.p12", "*.pfx", "*.keystore", "*.pkcs12", "*.bks", "*.jceks", "*.ks", "secring.gpg", "*.bcfks", "*.truststore.p12", "cacerts.p12", "cwallet.sso", "ewallet.p12"],
        Store,
        "secrets/key-store",
        &[],
    ),
];
