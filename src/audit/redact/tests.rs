use super::*;

#[test]
fn the_outline_of_an_unparsed_word_contains_no_value() {
    for (why, kept) in [
        ("longer than 16384 bytes", "longer than 16384 bytes"),
        ("`eval`", "`eval`"),
        ("`$(curl -u admin:hunter2 https://x)`", "`$(…`"),
        ("`mysql$(printf %s -phunter2)`", "`mysql$(…`"),
        ("`sh echo private`", "`sh…`"),
        ("`export PATH=/x`", "`export…`"),
        ("`PATH=/secret`", "`PATH=…`"),
        ("`a`b` c`", "`a`…`"),
    ] {
        assert_eq!(outline(why), kept);
    }
}

#[test]
fn secrets_are_masked_and_commands_stay_readable() {
    let text = r#"{"command":"curl -H 'Authorization: Bearer abc' -d password=hunter2 https://x.org/a/b"}"#;
    for out in [redact(text), redact_json(text)] {
        assert!(!out.contains("abc") && !out.contains("hunter2"), "{out}");
        assert!(out.contains("curl -H") && out.contains("https://x.org/a/b"), "{out}");
    }
    assert_eq!(redact("AKIAIOSFODNN7EXAMPLE1 ghp_0123456789abcdefABCDEF"), "*** ***");
}

/// A fake secret of the given length: letters and digits in a fixed order that looks random.
fn filler(length: usize, alphabet: &str) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    let mut state = 7_usize;
    (0..length)
        .map(|_| {
            state = (state * 1_103_515_245 + 12_345) % (1 << 31);
            alphabet[(state >> 8) % alphabet.len()]
        })
        .collect()
}

fn alnum(length: usize) -> String {
    filler(length, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
}

fn hex(length: usize) -> String {
    filler(length, "0123456789abcdef")
}

/// Secrets that are recognized in any context: the kind and the text.
fn tokens() -> Vec<(&'static str, String)> {
    let upper = |length| filler(length, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
    let of = |prefix: &str, body: String| format!("{prefix}{body}");
    vec![
        ("AWS access key", of("AKIA", upper(16))),
        ("AWS temporary key", of("ASIA", upper(16))),
        ("AWS secret key", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzTx8vLq3Rk".to_owned()),
        ("Google API key", of("AIza", alnum(35))),
        ("Google access token", of("ya29.", alnum(60))),
        ("Google client secret", of("GOCSPX-", alnum(28))),
        ("Azure client secret", format!("{}8Q~{}", alnum(3), alnum(34))),
        ("Alibaba key", of("LTAI", alnum(20))),
        ("GitHub personal token", of("ghp_", alnum(36))),
        ("GitHub OAuth token", of("gho_", alnum(36))),
        ("GitHub user token", of("ghu_", alnum(36))),
        ("GitHub server token", of("ghs_", alnum(36))),
        ("GitHub refresh token", of("ghr_", alnum(36))),
        ("GitHub fine-grained token", format!("github_pat_{}_{}", alnum(22), alnum(59))),
        ("GitLab token", of("glpat-", alnum(20))),
        ("GitLab deploy token", of("gldt-", alnum(20))),
        ("GitLab runner token", of("glrt-", alnum(20))),
        ("Atlassian token", of("ATATT3", alnum(180))),
        ("Slack bot token", format!("xoxb-{}-{}", filler(12, "0123456789"), alnum(24))),
        ("Slack user token", format!("xoxp-{}-{}", filler(12, "0123456789"), hex(32))),
        ("Slack app token", format!("xapp-1-A{}-{}", upper(10), hex(64))),
        ("Slack webhook", format!("https://hooks.slack.com/services/T{}/B{}/{}", upper(8), upper(8), alnum(24))),
        ("Discord webhook", format!("https://discord.com/api/webhooks/{}/{}", filler(18, "0123456789"), alnum(68))),
        ("Discord bot token", format!("{}.X1-2_3.{}", alnum(26), alnum(38))),
        ("Telegram bot token", format!("{}:AA{}", filler(10, "123456789"), alnum(33))),
        ("Stripe key", of("sk_live_", alnum(24))),
        ("Stripe restricted key", of("rk_live_", alnum(24))),
        ("Stripe webhook secret", of("whsec_", alnum(32))),
        ("Square token", of("sq0atp-", alnum(22))),
        ("Shopify token", of("shpat_", hex(32))),
        ("Twilio key", of("SK", hex(32))),
        ("SendGrid key", format!("SG.{}.{}", alnum(22), alnum(43))),
        ("Mailgun key", of("key-", hex(32))),
        ("Mailchimp key", of(&hex(32), "-us12".to_owned())),
        ("Brevo key", format!("xkeysib-{}-{}", hex(64), alnum(16))),
        ("npm token", of("npm_", alnum(36))),
        ("PyPI token", of("pypi-AgEIcHlwaS5vcmc", alnum(70))),
        ("RubyGems key", of("rubygems_", hex(48))),
        ("Docker token", of("dckr_pat_", alnum(27))),
        ("Artifactory key", of("AKCp", alnum(69))),
        ("OpenAI key", format!("sk-{}T3BlbkFJ{}", alnum(20), alnum(20))),
        ("OpenAI project key", of("sk-proj-", alnum(60))),
        ("Anthropic key", of("sk-ant-api03-", alnum(93))),
        ("Hugging Face token", of("hf_", alnum(34))),
        ("Replicate token", of("r8_", alnum(37))),
        ("Groq key", of("gsk_", alnum(52))),
        ("Perplexity key", of("pplx-", alnum(48))),
        ("DigitalOcean token", of("dop_v1_", hex(64))),
        ("Databricks token", of("dapi", hex(32))),
        ("Heroku key", of("HRKU-", alnum(60))),
        ("Terraform token", format!("a1b2c3d4e5f6g7.atlasv1.{}", alnum(60))),
        ("Vault token", of("hvs.", alnum(90))),
        ("Tailscale key", format!("tskey-auth-{}-{}", alnum(12), alnum(32))),
        ("Fly token", of("fm2_", alnum(120))),
        ("Doppler token", of("dp.pt.", alnum(43))),
        ("Pulumi token", of("pul-", hex(40))),
        ("Linear key", of("lin_api_", alnum(40))),
        ("Notion token", of("ntn_", alnum(46))),
        ("Airtable token", format!("pat{}.{}", alnum(14), hex(64))),
        ("Figma token", of("figd_", alnum(40))),
        ("Grafana token", format!("glsa_{}_{}", alnum(32), hex(8))),
        ("New Relic key", of("NRAK-", upper(27))),
        ("Dynatrace token", format!("dt0c01.{}.{}", upper(24), upper(64))),
        ("Sonar token", of("sqp_", hex(40))),
        ("Postman key", format!("PMAK-{}-{}", hex(24), hex(34))),
        ("age key", of("AGE-SECRET-KEY-1", upper(58))),
        ("JSON web token", format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{}", alnum(43))),
        ("password hash", of("$2b$12$", alnum(53))),
        ("key in base64", of("LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt", alnum(200))),
        ("random word", alnum(40)),
    ]
}

/// Contexts for a secret.
const AROUND: &[&str] = &[
    "{}",
    "export TOKEN={}",
    "X='{}' run",
    "run \"{}\" && echo done",
    "curl -H 'X-Key: {}' https://example.org",
    "curl https://example.org/?a=1&t={}&b=2",
    "first line\nkey: {}\nlast line",
    "{\"a\": \"{}\", \"b\": [1]}",
    "<x>{}</x>",
    "echo {}; ls",
    "ids=[{}]",
];

/// Texts with one secret, `§`, that is recognized by its context.
const KNOWN_BY_PLACE: &[(&str, &str)] = &[
    ("variable of a shell", "PASSWORD=§ ./run"),
    ("exported variable", "export DB_PASSWORD='§'; ls"),
    ("line of an .env file", "A=1\nMY_SECRET=§\nB=2\n"),
    ("line of an .env file, quoted", "API_KEY=\"§\"\n"),
    ("PowerShell variable", "$env:CLIENT_SECRET = '§'"),
    ("Windows variable", "set PASSWORD=§"),
    ("JSON member", "{\"user\": \"a\", \"password\": \"§\"}"),
    ("JSON in a shell word", "curl -d '{\"api_key\":\"§\"}' https://x.org"),
    ("JSON in a quoted shell word", "curl -d \"{\\\"token\\\": \\\"§\\\", \\\"a\\\": 1}\" https://x.org"),
    ("YAML", "db:\n  password: §\n  port: 1\n"),
    ("YAML, quoted", "db:\n  passphrase: '§'\n"),
    ("YAML block", "tls:\n  privateKey: |\n    §\n  port: 1\n"),
    ("YAML pair", "env:\n- name: DB_PASSWORD\n  value: §\n"),
    ("TOML", "[a]\nsecret_key = \"§\"\n"),
    ("properties", "spring.datasource.password=§\n"),
    ("XML element", "<settings><password>§</password></settings>"),
    ("XML attribute", "<user name='a' password='§'/>"),
    ("XML pair", "<add key=\"ClientSecret\" value=\"§\"/>"),
    ("Python", "client = connect(user='a', password='§', port=1)"),
    ("JavaScript", "const apiKey = `§`;"),
    ("Go", "token := \"§\""),
    ("Ruby", ":password => '§',"),
    ("PHP", "$config['db_password'] = '§';"),
    ("Terraform", "variable_password = \"§\""),
    ("option", "tool --password § --user a"),
    ("option with =", "tool --api-key=§ run"),
    ("option, quoted", "tool --token '§' run"),
    ("option with one hyphen", "keytool -storepass § -list"),
    ("option in a list", "subprocess.run(['tool', '--password', '§'])"),
    ("option on the next line", "tool \\\n  --password \\\n  § \\\n  --x"),
    ("curl user", "curl -u admin:§ https://x.org"),
    ("curl user, quoted", "curl --user 'admin:§' https://x.org"),
    ("curl user behind the address", "curl https://x.org/login -u admin:§"),
    ("curl cookie", "curl -b 'id=§' https://x.org"),
    ("mysql", "mysql -u root -p§ db"),
    ("mysqldump", "mysqldump -h x -p'§' db > f"),
    ("sshpass", "sshpass -p § ssh a@b"),
    ("docker login", "docker login -u a -p § registry.example.org"),
    ("redis", "redis-cli -h x -a § ping"),
    ("ldap", "ldapsearch -D cn=a -w § -b dc=x"),
    ("mongo", "mongosh -u a -p § x"),
    ("openssl", "openssl rsa -in k -passin pass:§ -out o"),
    ("zip", "zip -P § a.zip b"),
    ("smbclient", "smbclient //h/s -U 'a%§'"),
    ("header", "curl -H 'Authorization: Bearer §' https://x.org"),
    ("header with an unknown scheme", "curl -H \"Authorization: Custom a=1, s=§\" https://x.org"),
    ("basic header", "Authorization: Basic §\n"),
    ("header of a vendor", "X-Api-Key: §\nAccept: */*"),
    ("header of a vendor in a word", "http x.org X-Auth-Token:§"),
    ("cookie header", "Cookie: session=§; theme=dark\nAccept: */*"),
    ("set-cookie header", "Set-Cookie: sid=§; Path=/"),
    ("git header", "git -c http.extraheader=\"AUTHORIZATION: basic §\" fetch"),
    ("address", "git clone https://user:§@github.com/a/b"),
    ("address without a user", "redis://:§@host:6379/0"),
    ("database address", "DATABASE_URL=postgres://u:§@db:5432/x?ssl=1"),
    ("message queue address", "amqp://u:§@mq/%2f"),
    ("query", "https://x.org/a?user=b&access_token=§&page=2"),
    ("signed address", "https://b.s3.amazonaws.com/k?X-Amz-Date=1&X-Amz-Signature=§"),
    ("storage signature", "https://a.blob.core.windows.net/c?sv=2022&sig=§"),
    ("form", "curl -d 'user=a&password=§&x=1' https://x.org"),
    ("connection string", "Server=x;User Id=a;Password=§;Encrypt=True"),
    ("storage connection", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=§;EndpointSuffix=x"),
    (".netrc", "machine x.org login me@x.org password §"),
    (".netrc in lines", "machine x.org\n  login me\n  password §\n"),
    (".pgpass", "localhost:5432:db:me:§\n"),
    (".npmrc", "//registry.example.org/:_authToken=§\n"),
    ("private key", "-----BEGIN RSA PRIVATE KEY-----\n§\n-----END RSA PRIVATE KEY-----\nrest"),
    ("OpenSSH key", "cat > k <<E\n-----BEGIN OPENSSH PRIVATE KEY-----\n§\n-----END OPENSSH PRIVATE KEY-----\nE\n"),
    ("private key without its end", "-----BEGIN PRIVATE KEY-----\n§\n"),
    ("private key on one line", "{\"k\": \"-----BEGIN PRIVATE KEY-----\\n§\\n-----END PRIVATE KEY-----\\n\"}"),
    ("WireGuard", "[Interface]\nPrivateKey = §\nAddress = 10.0.0.1\n"),
    ("quoted value of several lines", "secret = '''\n§\n'''\nnext = 1"),
];

/// Returns true if no eight consecutive bytes of the secret are left: the mask may keep a prefix that names the kind.
fn is_masked(out: &str, secret: &str) -> bool {
    let bytes = secret.as_bytes();
    let least = bytes.len().min(8);
    !bytes.windows(least).any(|part| memchr::memmem::find(out.as_bytes(), part).is_some())
}

#[test]
fn every_kind_of_token_is_masked_in_every_context() {
    let tokens = tokens();
    assert!(tokens.len() >= 60, "{}", tokens.len());
    for (kind, token) in &tokens {
        // The name of the service is kept.
        let secret = token.rsplit('/').next().unwrap();
        let secret = if *kind == "AWS secret key" { token } else { secret };
        let secret = if *kind == "Discord bot token" { secret.rsplit('.').next().unwrap() } else { secret };
        let secret = secret.split_once(".atlasv1.").map_or(secret, |(_, secret)| secret);
        for around in AROUND {
            let text = around.replace("{}", token);
            let out = redact(&text);
            assert!(is_masked(&out, secret), "{kind}: {text}\n{out}");
            let json = format!("{{\"command\": {}}}", serde_json::to_string(&text).unwrap());
            let out = redact_json(&json);
            assert!(is_masked(&out, secret), "{kind}: {json}\n{out}");
            assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{out}");
        }
    }
}

#[test]
fn a_secret_is_masked_by_its_context() {
    assert!(KNOWN_BY_PLACE.len() >= 60);
    for secret in ["hunter2hunter2", "Tr0ub4dor", "correct-horse.battery", "p%40ss+w0rd"] {
        for (kind, around) in KNOWN_BY_PLACE {
            let text = around.replace('§', secret);
            let out = redact(&text);
            assert!(is_masked(&out, secret), "{kind}: {text}\n{out}");
            let json = format!("{{\"command\": {}, \"x\": 1}}", serde_json::to_string(&text).unwrap());
            let out = redact_json(&json);
            assert!(is_masked(&out, secret) && out.ends_with(", \"x\": 1}"), "{kind}: {json}\n{out}");
        }
    }
}

#[test]
fn secret_members_of_a_document_are_masked_whatever_their_type() {
    for (json, masked) in [
        (r#"{"password": "a b c", "x": "a b c"}"#, r#"{"password": "***", "x": "a b c"}"#),
        (
            r#"{"pin": 1234, "n": 1234, "token": true, "secret": null}"#,
            r#"{"pin": "***", "n": 1234, "token": true, "secret": null}"#,
        ),
        (
            r#"{"credentials": {"a": ["b", 2], "c": {"d": "e"}}, "f": "g"}"#,
            r#"{"credentials": {"a": ["***", "***"], "c": {"d": "***"}}, "f": "g"}"#,
        ),
        (r#"{"p\u0061ssword": "\u0061"}"#, r#"{"password": "***"}"#),
        (
            r#"{"env": [{"name": "DB_PASSWORD", "value": "x"}, {"name": "A", "value": "x"}]}"#,
            r#"{"env": [{"name": "DB_PASSWORD", "value": "***"}, {"name": "A", "value": "x"}]}"#,
        ),
        (
            r#"{"argv": ["curl", "-u", "a:b", "--token", "c", "d"]}"#,
            r#"{"argv": ["curl", "-u", "a:***", "--token", "***", "d"]}"#,
        ),
        (r#"{"argv": ["mysql", "-pb", "x"], "b": "-pb"}"#, r#"{"argv": ["mysql", "-p***", "x"], "b": "-pb"}"#),
        (r#"{"a": "tool --password", "b": "c"}"#, r#"{"a": "tool --password", "b": "c"}"#),
        (r#"{"auth": "dXNlcjpwYXNzd29yZDE="}"#, r#"{"auth": "***"}"#),
        ("{\"a\":\"\u{202e}\", \"b\":\"\\ud800\"}", r#"{"a":"\u202e", "b":"\\ud800"}"#),
        ("no JSON: password=x", "no JSON: password=x"),
    ] {
        assert_eq!(redact_json(json), masked);
    }
}

#[test]
fn a_long_input_is_truncated_without_exposing_a_secret() {
    let key = alnum(40);
    for before in ((KEPT - 60)..(KEPT + 4)).step_by(5) {
        let text = format!("{}-----BEGIN PRIVATE KEY-----\n{key}", "x ".repeat(before / 2));
        for out in [redact(&text), redact_json(&format!("{{\"a\":\"{}\"}}", text.replace('\n', "\\n")))] {
            assert!(out.ends_with(" …") && out.len() <= KEPT + 8, "{}", out.len());
            assert!(is_masked(&out, &key));
        }
        let text = format!("{} ghp_{key}", "y".repeat(before));
        for out in [redact(&text), redact_json(&format!("{{\"a\":\"{text} password=\\\"{key}\"}}"))] {
            assert!(is_masked(&out, &key));
        }
    }
}

#[test]
fn redaction_is_linear() {
    // Each text opens a construct every few bytes and never closes it.
    let patterns = [
        "sk-",
        "eyJ",
        "eyJ.",
        "password=",
        "password=\"",
        "password='\\\"",
        "password: |\n",
        "-----BEGIN ",
        "://",
        "://a:",
        "http://a:b",
        "curl -u ",
        "mysql -p",
        "1:2:",
        "machine ",
        "login password ",
        "a.b-c_",
        "$2b$",
        "Authorization: ",
        "Bearer ",
        "{\"password\":",
        "[\"--token\",",
        "<token>",
        "name=token value=",
        "\\\"",
        "12345678:",
        "----",
        "-----BEGIN PRIVATE KEY-----",
        "; a=",
        "& ",
        "(((",
        "é\u{1f600}",
    ];
    let took = |pattern: &str, bytes: usize| {
        let text = pattern.repeat(bytes / pattern.len());
        let began = processor_time();
        std::hint::black_box((redact(&text), redact_json(&format!("{{\"a\":\"{text}"))));
        processor_time().saturating_sub(began).as_secs_f64()
    };
    for pattern in patterns {
        // With 32 times the bytes, a quadratic algorithm takes 1024 times as long. Other processes may empty the caches.
        let ratio = || took(pattern, KEPT - 1024) / took(pattern, KEPT / 32);
        assert!((0..3).any(|_| ratio() < 320.0), "{pattern:?}");
    }
}

/// The processor time used by this thread.
fn processor_time() -> std::time::Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    std::time::Duration::new(now.tv_sec.try_into().unwrap(), now.tv_nsec.try_into().unwrap())
}

/// Texts without a secret. A few are partly masked; the rate is asserted.
const HARMLESS: &[&str] = &[
    "git show 67e9ad7d3c1f0b2a4e5d6c7b8a9f0e1d2c3b4a59",
    "git cherry-pick 2729ced d6a5acd c9032ac",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "docker pull alpine@sha256:c5b1261d6d3e43071626931fc004f70149baeba2c8ec672bd4f27761f8e1ad6b",
    "docker logs 4f5c1d2e3b6a",
    "123e4567-e89b-12d3-a456-426614174000",
    "session 01JXYZ7Q8R9S",
    "cat src/policy/command/unwrap.rs",
    "vim ~/projects/MyApp2/Controllers/HomeController.cs",
    "ls node_modules/@types/node/ts4.8/assert.d.ts",
    "rm -rf target/x86_64-unknown-linux-gnu/debug/deps/cli-8da958b2833763f8",
    "tar xf rustc-1.91.0-x86_64-unknown-linux-gnu.tar.xz",
    "wget https://nodejs.org/dist/v22.3.0/node-v22.3.0-linux-x64.tar.xz",
    "curl -sSf https://sh.rustup.rs | sh",
    "npm install react@18.2.0 @babel/core@7.24.7",
    "\"integrity\": \"sha1-0123abcd\"",
    "pip install numpy==1.26.4 tensorflow-gpu==2.16.1",
    "cargo test --test cli -- escapes::names",
    "docker run -p 8080:80 -v /a:/b nginx:1.27",
    "docker run -p 127.0.0.1:8080:80 nginx",
    "ssh -p 2222 user@example.org",
    "scp -P 2222 a.txt me@host:/tmp",
    "mkdir -p a/b/c",
    "mysql -u root -p db",
    "mysql --port 3306 -h localhost",
    "curl -u user https://example.org",
    "curl -b cookies.txt https://example.org -o out.html",
    "psql -p 5432 -U me",
    "cp -p a b",
    "ps -p 1234",
    "read -p 'Password: ' PASSWORD",
    "echo $PASSWORD",
    "export PATH=$PATH:/opt/bin",
    "PWD=/home/me OLDPWD=/tmp",
    "TOKEN=$GITHUB_TOKEN make release",
    "curl -H \"Authorization: Bearer $TOKEN\" https://example.org",
    "curl -H 'Authorization: token ${TOKEN}' https://example.org",
    "password: ${{ secrets.DB_PASSWORD }}",
    "max_tokens: 4096",
    "\"max_tokens\": 1024, \"temperature\": 0.7",
    "\"usage\": {\"input_tokens\": 12, \"output_tokens\": 34}",
    "next_token=abc",
    "pageToken=CAUQAA",
    "eos_token: </s>",
    "fn tokenize(text: &str) -> Vec<Token>",
    "the token is expired, log in again",
    "forgot your password?",
    "bearer of good news",
    "basic training for everybody",
    "a secret garden",
    "keyboard: us",
    "primary_key: id",
    "key: value",
    "{\"key\": \"Enter\", \"code\": \"KeyA\"}",
    "foreign_key = user_id",
    "sort_key=created_at",
    "keys: [a, b]",
    "monkey=1 donkey=2",
    "hash: 67e9ad7d3c1f0b2a4e5d6c7b8a9f0e1d2c3b4a59",
    "commit: 67e9ad7",
    "author: Somebody <me@example.org>",
    "authority=example.org",
    "authenticate(user)",
    "http://localhost:3000/api/v1/users?page=2&limit=10",
    "https://github.com/rust-lang/rust/pull/12345/files#diff-1",
    "https://example.org:8443/a/b@c",
    "https://me@example.org/repo.git",
    "git@github.com:me/repo.git",
    "git clone ssh://git@example.org:22/me/repo.git",
    "mailto:someone@example.org",
    "10.0.0.1:8080",
    "fe80::1ff:fe23:4567:890a%eth0",
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
    "00:1a:2b:3c:4d:5e",
    "2026-11-22T08:00:00.123456789Z",
    "2026-11-22 08:00:00 +02:00",
    "12:34:56,789 INFO started in 3s",
    "v1.2.3-rc.4+build.20261122",
    "0.1.0-alpha.12",
    "libstdc++6_12.2.0-14_amd64.deb",
    "linux-image-6.1.0-18-cloud-amd64",
    "aarch64-apple-darwin24.1.0",
    "i18n_getLocaleStringForUser",
    "getElementsByClassNameAndTagName2",
    "convertUtf8ToUtf16LittleEndian",
    "TestParseHTTP2HeadersFrameWithPadding",
    "SOME_VERY_LONG_CONSTANT_NAME_WITH_NUMBER_2",
    "some-very-long-kebab-case-name-with-number-2",
    "org.springframework.boot.autoconfigure.SpringBootApplication",
    "com.example.project2.service.UserServiceImplV2Test",
    "<input type=\"password\" name=\"pw\">",
    "The quick brown fox jumps over the lazy dog 1234567890 times.",
    "SELECT id, name FROM users WHERE created_at > '2026-01-01' LIMIT 10",
    "for i in $(seq 1 10); do echo $i; done",
    "find . -name '*.rs' -newer Cargo.lock -exec grep -l unsafe {} +",
    "awk -F: '{print $1}' /etc/passwd",
    "sed -i 's/foo1/bar2/g' file.txt",
    "jq '.items[] | {name: .name, id: .id}' out.json",
    "kubectl get pods -n kube-system coredns-5d78c9869d-abcde",
    "kubectl get secret my-secret -o yaml",
    "aws s3 ls s3://my-bucket-2026/path/",
    "terraform apply -auto-approve",
    "data:image/png;base64,iVBORw0KGgo=",
    "color: #a1b2c3; background: #ffffff00",
    "M10 20 L30 40 C50 60 70 80 90 100 Z",
    "0x1234567890abcdef1234567890abcdef12345678",
    "assert_eq!(parse(\"a=1\"), Ok(1));",
    "let x: HashMap<String, Vec<u8>> = HashMap::new();",
    "import { useState, useEffect } from 'react';",
    "def test_password_reset_sends_email(self):",
    "class TokenStream extends Readable {}",
    "日本語のテキスト、パスワードなし",
    "chmod 600 ~/.ssh/id_ed25519 && ssh-add ~/.ssh/id_ed25519",
    "ssh-ed25519 AAAAC3NzaC1lZDI1 me@host",
    "gpg --list-secret-keys --keyid-format long",
    "openssl x509 -in cert.pem -noout -text",
    "-----BEGIN CERTIFICATE-----",
    "arn:aws:iam::123456789012:role/MyRole",
    "projects/my-project-123456/locations/europe-west1/clusters/c1",
    "X-Request-Id: 7f3c2b1a-1234-5678-9abc-def012345678",
    "ETag: \"33a64df551425fcc55e4d42a148795d9f25f89d4\"",
    "pytest tests/test_auth.py::TestLogin::test_token_refresh -q",
];

#[test]
fn harmless_texts_are_unchanged() {
    assert!(HARMLESS.len() >= 100);
    let masked: Vec<_> = HARMLESS.iter().filter(|text| redact(text) != **text).collect();
    // At most 2 %.
    assert!(masked.len() * 50 <= HARMLESS.len(), "{} of {}: {masked:#?}", masked.len(), HARMLESS.len());
}
