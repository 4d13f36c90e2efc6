//! Kinds of secrets that are recognized by their prefix.

/// A prefix, the characters that may follow it, and their minimum number.
pub(super) struct SecretKind {
    pub(super) prefix: &'static str,
    pub(super) body: TokenAlphabet,
    pub(super) least: usize,
}

/// The characters that a secret may contain after its prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenAlphabet {
    Hex,
    /// Hexadecimal digits and hyphens, as in a UUID.
    Uuid,
    /// Upper-case letters and digits.
    Upper,
    Alnum,
    /// Letters, digits, `_` and `-`.
    Url,
    /// Like `Url`, with at least one digit and one upper-case letter near the start: the prefix alone is ambiguous.
    Mixed,
    /// Letters, digits, `_`, `-` and `.`.
    Dots,
    /// Both base64 alphabets, `.`, and the characters of password hashes.
    Base64,
}

impl TokenAlphabet {
    pub(super) fn contains(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Uuid => byte.is_ascii_hexdigit() || byte == b'-',
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Url | Self::Mixed => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dots => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'$' | b'%' | b',' | b'~')
            }
        }
    }
}

/// The length in bytes of the secret at the start of a text; `None` if there is none.
pub(super) fn length(text: &[u8]) -> Option<usize> {
    let first = text.first()?;
    KINDS.iter().filter(|kind| kind.prefix.as_bytes().first() == Some(first)).find_map(|kind| kind.length(text))
}

impl SecretKind {
    fn length(&self, text: &[u8]) -> Option<usize> {
        let body = text.strip_prefix(self.prefix.as_bytes())?;
        // Characters after `least` are read only once the kind is certain, so that repeated prefixes stay linear.
        let start = body.get(..self.least)?;
        let has = |test: fn(&u8) -> bool| start.iter().any(test);
        let proves = self.body != Mixed || has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase);
        if !proves || !start.iter().all(|byte| self.body.contains(*byte)) {
            return None;
        }
        let whole = body.iter().take_while(|byte| self.body.contains(**byte)).count();
        Some(self.prefix.len() + whole)
    }
}

const fn kind(prefix: &'static str, body: TokenAlphabet, least: usize) -> SecretKind {
    SecretKind { prefix, body, least }
}

use TokenAlphabet::{Alnum, Base64, Dots, Hex, Mixed, Upper, Url, Uuid};

/// Sorted by vendor. A longer prefix comes before a shorter one that it starts with.
const KINDS: &[SecretKind] = &[
    // Amazon
    kind("AKIA", Upper, 16),
    kind("ASIA", Upper, 16),
    kind("ABIA", Upper, 16),
    kind("ACCA", Upper, 16),
    kind("ABSK", Base64, 60),
    kind("amzn.mws.", Uuid, 36),
    // Google
    kind("AIza", Url, 30),
    kind("ya29.", Dots, 20),
    kind("GOCSPX-", Url, 20),
    kind("1//0", Url, 30),
    // Alibaba, Tencent, Yandex
    kind("LTAI", Alnum, 16),
    kind("AKID", Alnum, 30),
    kind("AQVN", Url, 30),
    kind("y0_", Url, 50),
    // GitHub, GitLab, Atlassian
    kind("ghp_", Alnum, 20),
    kind("gho_", Alnum, 20),
    kind("ghu_", Alnum, 20),
    kind("ghs_", Alnum, 20),
    kind("ghr_", Alnum, 20),
    kind("github_pat_", Url, 30),
    kind("glpat-", Dots, 16),
    kind("gldt-", Dots, 16),
    kind("glrt-", Dots, 16),
    kind("glrtr-", Dots, 16),
    kind("glcbt-", Dots, 16),
    kind("glptt-", Dots, 16),
    kind("glft-", Dots, 16),
    kind("glsoat-", Dots, 16),
    kind("glimt-", Dots, 16),
    kind("glagent-", Dots, 16),
    kind("gloas-", Dots, 16),
    kind("glffct-", Dots, 16),
    kind("GR1348941", Url, 16),
    kind("ATATT3", Base64, 40),
    kind("ATCTT3", Base64, 40),
    kind("ATBB", Alnum, 24),
    // Slack, Discord, Teams, Zapier
    kind("xoxb-", Dots, 10),
    kind("xoxp-", Dots, 10),
    kind("xoxa-", Dots, 10),
    kind("xoxr-", Dots, 10),
    kind("xoxs-", Dots, 10),
    kind("xoxo-", Dots, 10),
    kind("xoxc-", Dots, 10),
    kind("xoxd-", Base64, 10),
    kind("xoxe-", Dots, 10),
    kind("xoxe.xox", Dots, 10),
    kind("xapp-", Dots, 10),
    kind("xwfp-", Dots, 10),
    kind("hooks.slack.com/services/", Base64, 16),
    kind("hooks.slack.com/workflows/", Base64, 16),
    kind("hooks.slack.com/triggers/", Base64, 16),
    kind("discord.com/api/webhooks/", Base64, 30),
    kind("discordapp.com/api/webhooks/", Base64, 30),
    kind("webhook.office.com/webhookb2/", Base64, 36),
    kind("hooks.zapier.com/hooks/catch/", Base64, 10),
    // Payment
    kind("sk_live_", Alnum, 10),
    kind("sk_test_", Alnum, 10),
    kind("sk_prod_", Alnum, 10),
    kind("rk_live_", Alnum, 10),
    kind("rk_test_", Alnum, 10),
    kind("rk_prod_", Alnum, 10),
    kind("whsec_", Base64, 16),
    kind("sq0atp-", Url, 20),
    kind("sq0csp-", Url, 20),
    kind("EAAA", Url, 60),
    kind("access_token$", Base64, 20),
    kind("access-sandbox-", Uuid, 36),
    kind("access-production-", Uuid, 36),
    kind("FLWSECK_TEST-", Url, 12),
    kind("FLWSECK-", Url, 12),
    kind("rzp_live_", Alnum, 14),
    kind("rzp_test_", Alnum, 14),
    kind("shpat_", Hex, 32),
    kind("shpca_", Hex, 32),
    kind("shppa_", Hex, 32),
    kind("shpss_", Hex, 32),
    kind("shippo_live_", Hex, 32),
    kind("EZAK", Alnum, 40),
    kind("EZTK", Alnum, 40),
    kind("duffel_live_", Url, 40),
    // Mail and messages
    kind("SG.", Dots, 40),
    kind("SK", Hex, 32),
    kind("key-", Hex, 32),
    kind("xkeysib-", Url, 60),
    kind("xsmtpsib-", Url, 60),
    kind("re_", Mixed, 20),
    // Package registries
    kind("npm_", Alnum, 30),
    kind("pypi-", Url, 40),
    kind("rubygems_", Hex, 40),
    kind("cio", Alnum, 32),
    kind("oy2", Alnum, 43),
    kind("CLOJARS_", Alnum, 40),
    kind("dckr_pat_", Url, 20),
    kind("dckr_oat_", Url, 20),
    kind("AKCp", Alnum, 60),
    kind("cmVmd", Base64, 50),
    // Models
    kind("sk-ant-", Url, 20),
    kind("sk-proj-", Url, 20),
    kind("sk-svcacct-", Url, 20),
    kind("sk-admin-", Url, 20),
    kind("sk-or-", Url, 20),
    kind("sk-lf-", Url, 20),
    kind("sk-", Mixed, 20),
    kind("hf_", Alnum, 30),
    kind("api_org_", Alnum, 30),
    kind("r8_", Alnum, 30),
    kind("gsk_", Alnum, 40),
    kind("xai-", Alnum, 40),
    kind("pplx-", Alnum, 40),
    kind("lsv2_pt_", Url, 30),
    kind("lsv2_sk_", Url, 30),
    kind("pcsk_", Url, 40),
    kind("tvly-", Url, 20),
    kind("jina_", Url, 40),
    kind("nvapi-", Url, 40),
    kind("e2b_", Hex, 40),
    // Clouds, databases and deployment
    kind("dop_v1_", Hex, 40),
    kind("doo_v1_", Hex, 40),
    kind("dor_v1_", Hex, 40),
    kind("dapi", Hex, 32),
    kind("HRKU-", Url, 30),
    kind("nfp_", Alnum, 30),
    kind("fm1_", Base64, 40),
    kind("fm2_", Base64, 40),
    kind("fo1_", Url, 30),
    kind("rnd_", Alnum, 20),
    kind("sbp_", Hex, 40),
    kind("sb_secret_", Url, 20),
    kind("pscale_tkn_", Dots, 30),
    kind("pscale_pw_", Dots, 30),
    kind("pscale_oauth_", Dots, 30),
    kind("napi_", Alnum, 40),
    kind("dp.pt.", Alnum, 30),
    kind("dp.st.", Dots, 30),
    kind("dp.ct.", Alnum, 30),
    kind("dp.sa.", Alnum, 30),
    kind("dp.scim.", Alnum, 30),
    kind("dp.audit.", Alnum, 30),
    kind("pul-", Hex, 40),
    kind("pnu_", Alnum, 30),
    kind("ddp_", Alnum, 30),
    kind("atlasv1.", Url, 40),
    kind("hvs.", Url, 20),
    kind("hvb.", Url, 20),
    kind("hvr.", Url, 20),
    kind("sha256~", Url, 40),
    kind("tskey-", Url, 20),
    kind("ops_eyJ", Base64, 40),
    kind("CFPAT-", Url, 40),
    // Productivity and monitoring
    kind("pat", Dots, 75),
    kind("lin_api_", Alnum, 30),
    kind("lin_oauth_", Alnum, 30),
    kind("ntn_", Alnum, 40),
    kind("secret_", Alnum, 40),
    kind("figd_", Url, 30),
    kind("glc_", Base64, 30),
    kind("glsa_", Url, 30),
    kind("NRAK-", Alnum, 20),
    kind("NRJS-", Alnum, 16),
    kind("sntrys_", Base64, 40),
    kind("sntryu_", Hex, 60),
    kind("dt0c01.", Dots, 60),
    kind("squ_", Hex, 40),
    kind("sqp_", Hex, 40),
    kind("sqa_", Hex, 40),
    kind("CCIPAT_", Url, 30),
    kind("bkua_", Hex, 40),
    kind("PMAK-", Url, 40),
    kind("sdk-", Uuid, 36),
    kind("api-", Uuid, 36),
    kind("tfp_", Dots, 30),
    kind("sgp_", Url, 40),
    kind("ico-", Alnum, 32),
    kind("aio_", Alnum, 28),
    kind("rdme_", Alnum, 60),
    // Social
    kind("EAA", Alnum, 80),
    kind("AAAAAAAAAAAAAAAAAAAAA", Base64, 40),
    kind("sl.", Url, 100),
    kind("sk.eyJ", Dots, 50),
    // Generic keys, tokens and hashes
    kind("AGE-SECRET-KEY-1", Upper, 50),
    kind("eyJ", Dots, 30),
    kind("ewog", Base64, 60),
    kind("LS0tLS1CRUdJTi", Base64, 40),
    kind("MII", Base64, 200),
    kind("$2a$", Base64, 40),
    kind("$2b$", Base64, 40),
    kind("$2y$", Base64, 40),
    kind("$1$", Base64, 20),
    kind("$5$", Base64, 30),
    kind("$6$", Base64, 40),
    kind("$y$", Base64, 40),
    kind("$argon2", Base64, 30),
    kind("$pbkdf2", Base64, 30),
];
