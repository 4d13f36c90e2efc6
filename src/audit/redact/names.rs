//! Names whose values are secret, and options that take a secret.

/// How much a name says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// The value is a secret.
    Secret,
    /// The value is a header such as `Authorization`, up to the end of its line.
    Header,
    /// The value is a secret if it looks random.
    Maybe,
    /// The value is the name of something whose value follows, as in `name: TOKEN, value: x`.
    Names,
    /// The value of a [`Name::Names`] before it.
    Value,
}

/// What a name says about its value. Case, `_`, `-` and `.` do not matter, nor does what stands before the last word.
pub(super) fn name(text: &str) -> Option<Name> {
    // No word below is longer.
    let mut tail = text.len().saturating_sub(64);
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    let text = text.get(tail..).unwrap_or_default().trim_end_matches(['_', '-', '.']);
    let name: String =
        text.chars().filter(|c| !matches!(c, '_' | '-' | '.' | ' ')).map(|c| c.to_ascii_lowercase()).collect();
    let ends = |words: &[&str]| words.iter().any(|word| name.ends_with(word));
    match name.as_str() {
        "name" | "key" => return Some(Name::Names),
        "value" | "defaultvalue" => return Some(Name::Value),
        "pass" | "pw" | "pin" | "sid" | "sig" | "otp" => return Some(Name::Secret),
        "pwd" | "oldpwd" => return None,
        _ => {}
    }
    if ends(&["authorization", "cookie", "cookies"]) {
        return Some(Name::Header);
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
        return Some(Name::Secret);
    }
    ends(MAYBE).then_some(Name::Maybe)
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

/// Words of language models and of paging that end like a secret.
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

/// What of an argument is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// What follows the first of this character.
    After(u8),
}

/// A short option of some programs whose argument is secret.
pub(super) struct Secret {
    programs: &'static [&'static str],
    pub(super) option: &'static str,
    /// The argument follows the option without a blank.
    pub(super) glued: bool,
    /// The argument is the next word.
    pub(super) apart: bool,
    pub(super) part: Part,
}

impl Secret {
    /// The options of a program; none for most programs.
    pub(super) fn of(program: &str) -> impl Iterator<Item = &'static Self> {
        let program = program.to_ascii_lowercase();
        OPTIONS.iter().filter(move |row| row.programs.contains(&program.as_str()))
    }
}

const fn row(
    programs: &'static [&'static str],
    option: &'static str,
    (glued, apart): (bool, bool),
    part: Part,
) -> Secret {
    Secret { programs, option, glued, apart, part }
}

const GLUED: (bool, bool) = (true, false);
const APART: (bool, bool) = (false, true);
const BOTH: (bool, bool) = (true, true);

const OPTIONS: &[Secret] = &[
    row(&["curl", "wget", "lftp", "ftp"], "-u", BOTH, Part::After(b':')),
    row(&["curl"], "--user", BOTH, Part::After(b':')),
    row(&["curl"], "-U", BOTH, Part::After(b':')),
    row(&["curl"], "--proxy-user", BOTH, Part::After(b':')),
    row(&["curl"], "-b", BOTH, Part::After(b'=')),
    row(&["lftp"], "-u", BOTH, Part::After(b',')),
    row(&["http", "https", "xh", "httpie"], "-a", BOTH, Part::After(b':')),
    row(&["http", "https", "xh", "httpie"], "--auth", BOTH, Part::After(b':')),
    row(
        &["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlshow", "mysqlcheck", "mariadb", "mariadb-dump"],
        "-p",
        GLUED,
        Part::Whole,
    ),
    row(&["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"], "-p", APART, Part::Whole),
    row(&["sshpass"], "-p", BOTH, Part::Whole),
    // `docker login`, `az login`, `helm registry login` and the like.
    row(&["login"], "-p", BOTH, Part::Whole),
    row(&["redis-cli"], "-a", APART, Part::Whole),
    row(&["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldappasswd", "ldapwhoami"], "-w", BOTH, Part::Whole),
    row(&["sqlcmd", "isql", "osql", "bcp", "mosquitto_pub", "mosquitto_sub"], "-P", BOTH, Part::Whole),
    row(&["smbclient", "rpcclient"], "-U", BOTH, Part::After(b'%')),
    row(&["zip", "unzip"], "-P", BOTH, Part::Whole),
    row(&["7z", "7za", "7zz", "rar", "unrar"], "-p", GLUED, Part::Whole),
    row(&["snowsql", "cqlsh", "influx", "xfreerdp"], "-p", BOTH, Part::Whole),
    row(&["xfreerdp"], "/p:", GLUED, Part::Whole),
    row(&["openssl"], "-passin", APART, Part::After(b':')),
    row(&["openssl"], "-passout", APART, Part::After(b':')),
    row(&["openssl", "enc"], "-k", APART, Part::Whole),
    row(&["openssl", "enc"], "-K", APART, Part::Whole),
];
