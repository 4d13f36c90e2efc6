//! Names with secret values, and command line options with secret arguments.

/// The classes of names, by what they imply about their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameClass {
    /// The value is a secret.
    Secret,
    /// The value is a header such as `Authorization` and extends to the end of the line.
    Header,
    /// The value is a secret if it looks random.
    Maybe,
    /// The value is itself a name, as in `name: TOKEN, value: x`.
    Names,
    /// The value belongs to a preceding [`NameClass::Names`].
    Value,
}

/// Classifies a name. Ignores case, `_`, `-`, `.`, and everything before the last word.
pub(super) fn name(text: &str) -> Option<NameClass> {
    // All words in the lists are shorter.
    let mut tail = text.len().saturating_sub(64);
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    let text = text.get(tail..).unwrap_or_default().trim_end_matches(['_', '-', '.']);
    let name: String =
        text.chars().filter(|c| !matches!(c, '_' | '-' | '.' | ' ')).map(|c| c.to_ascii_lowercase()).collect();
    let ends = |words: &[&str]| words.iter().any(|word| name.ends_with(word));
    match name.as_str() {
        "name" | "key" => return Some(NameClass::Names),
        "value" | "defaultvalue" => return Some(NameClass::Value),
        "pass" | "pw" | "pin" | "sid" | "sig" | "otp" => return Some(NameClass::Secret),
        "pwd" | "oldpwd" => return None,
        _ => {}
    }
    if ends(&["authorization", "cookie", "cookies"]) {
        return Some(NameClass::Header);
    }
    if ends(HARMLESS) {
        return None;
    }
    let own_word = |word: &str| {
        let before = text.get(..text.len().saturating_sub(word.len())).unwrap_or_default();
        let last = text.get(before.len()..).unwrap_or_default();
        last.eq_ignore_ascii_case(word)
            && (before.ends_with(['_', '-', '.']) || last.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    if ends(SECRET) || ["pass", "pw"].into_iter().any(own_word) {
        return Some(NameClass::Secret);
    }
    ends(MAYBE).then_some(NameClass::Maybe)
}

const SECRET: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "passwort",
    "pwd",
    "dbpass",
    "userpass",
    "storepass",
    "keypass",
    "passwordhash",
    "secret",
    "secrets",
    "token",
    "jwt",
    "bearer",
    "credential",
    "credentials",
    "apikey",
    "accesskey",
    "secretkey",
    "secretkeybase",
    "privatekey",
    "signingkey",
    "signaturekey",
    "encryptionkey",
    "decryptionkey",
    "masterkey",
    "authkey",
    "sharedkey",
    "sharedaccesskey",
    "accountkey",
    "storagekey",
    "sessionkey",
    "subscriptionkey",
    "functionskey",
    "serverkey",
    "licensekey",
    "presharedkey",
    "privatelines",
    "connectionstring",
    "mnemonic",
    "seedphrase",
    "recoveryphrase",
    "recoverycode",
    "xamzsignature",
    "totp",
    "sessionid",
    "sessid",
    "connect.sid",
    "csrf",
    "xsrf",
    "clientkeydata",
];

/// Names from language models and pagination that end like the name of a secret.
const HARMLESS: &[&str] = &[
    "nexttoken",
    "pagetoken",
    "continuationtoken",
    "eostoken",
    "bostoken",
    "padtoken",
    "unktoken",
    "masktoken",
    "septoken",
    "clstoken",
    "pertoken",
    "imagepullsecret",
    "imagepullsecrets",
];

const MAYBE: &[&str] = &["key", "auth", "salt", "seed", "dsn", "webhook", "nonce", "signature", "pat", "creds", "cred"];

/// The secret part of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretPart {
    Whole,
    /// Everything after the first occurrence of this character.
    After(u8),
}

/// The position of the argument of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentPosition {
    /// In the same word.
    Glued,
    /// The next word.
    Apart,
    /// Either of these.
    Both,
}

/// An option with a secret argument, and the programs that have it.
pub(super) struct SecretOption {
    programs: &'static [&'static str],
    pub(super) option: &'static str,
    pub(super) position: ArgumentPosition,
    pub(super) part: SecretPart,
}

impl SecretOption {
    /// The options of a program with secret arguments; empty for most programs.
    pub(super) fn of(program: &str) -> impl Iterator<Item = &'static Self> {
        let program = program.to_ascii_lowercase();
        OPTIONS.iter().filter(move |row| row.programs.contains(&program.as_str()))
    }
}

const fn row(
    programs: &'static [&'static str],
    option: &'static str,
    position: ArgumentPosition,
    part: SecretPart,
) -> SecretOption {
    SecretOption { programs, option, position, part }
}

use ArgumentPosition::{Apart, Both, Glued};

const OPTIONS: &[SecretOption] = &[
    row(&["curl", "wget", "lftp", "ftp"], "-u", Both, SecretPart::After(b':')),
    row(&["curl"], "--user", Both, SecretPart::After(b':')),
    row(&["curl"], "-U", Both, SecretPart::After(b':')),
    row(&["curl"], "--proxy-user", Both, SecretPart::After(b':')),
    row(&["curl"], "-b", Both, SecretPart::After(b'=')),
    row(&["lftp"], "-u", Both, SecretPart::After(b',')),
    row(&["http", "https", "xh", "httpie"], "-a", Both, SecretPart::After(b':')),
    row(&["http", "https", "xh", "httpie"], "--auth", Both, SecretPart::After(b':')),
    row(
        &["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlshow", "mysqlcheck", "mariadb", "mariadb-dump"],
        "-p",
        Glued,
        SecretPart::Whole,
    ),
    row(
        &["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"],
        "-p",
        Apart,
        SecretPart::Whole,
    ),
    row(&["sshpass"], "-p", Both, SecretPart::Whole),
    // `docker login`, `az login`, `helm registry login` and the like.
    row(&["login"], "-p", Both, SecretPart::Whole),
    row(&["redis-cli"], "-a", Apart, SecretPart::Whole),
    row(
        &["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldappasswd", "ldapwhoami"],
        "-w",
        Both,
        SecretPart::Whole,
    ),
    row(&["sqlcmd", "isql", "osql", "bcp", "mosquitto_pub", "mosquitto_sub"], "-P", Both, SecretPart::Whole),
    row(&["smbclient", "rpcclient"], "-U", Both, SecretPart::After(b'%')),
    row(&["zip", "unzip"], "-P", Both, SecretPart::Whole),
    row(&["7z", "7za", "7zz", "rar", "unrar"], "-p", Glued, SecretPart::Whole),
    row(&["snowsql", "cqlsh", "influx", "xfreerdp"], "-p", Both, SecretPart::Whole),
    row(&["xfreerdp"], "/p:", Glued, SecretPart::Whole),
    row(&["openssl"], "-passin", Apart, SecretPart::After(b':')),
    row(&["openssl"], "-passout", Apart, SecretPart::After(b':')),
    row(&["openssl", "enc"], "-k", Apart, SecretPart::Whole),
    row(&["openssl", "enc"], "-K", Apart, SecretPart::Whole),
];
