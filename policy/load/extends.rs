//! Reads `extends`: the presets that a file adds.

use super::file::PolicyFile;
use super::parser::FileParser;
use super::reader::TomlValue;
use super::source::PolicySource;
use crate::fault::nearest;
use crate::preset::{PRESET_PREFIX, Preset};

pub(super) fn read(parser: &mut FileParser<'_, '_>, value: &TomlValue<'_>) {
    for (index, (at, written)) in parser.reader.texts(value, "extends").into_iter().enumerate() {
        let key = format!("extends[{index}]");
        let Some(preset) = Preset::named(written) else {
            parser.reader.fault(at, &key, &unknown(written));
            continue;
        };
        if is_loaded(&parser.parts.presets, written) {
            continue;
        }
        match PolicyFile::read(PolicySource::preset(preset), parser.machine, parser.vocabulary) {
            Ok(mut file) => {
                let extended = std::mem::take(&mut file.presets);
                for file in std::iter::once(file).chain(extended) {
                    if !is_loaded(&parser.parts.presets, &file.source.shown) {
                        parser.parts.presets.push(file);
                    }
                }
            }
            Err(fault) => parser.reader.fault(at, &key, &fault.to_string()),
        }
    }
}

/// Returns true if a preset is among these.
pub(crate) fn is_loaded(presets: &[PolicyFile], written: &str) -> bool {
    presets.iter().any(|preset| preset.source.shown == written)
}

fn unknown(written: &str) -> String {
    let name = written.strip_prefix(PRESET_PREFIX).unwrap_or(written);
    let hint = match nearest(name, Preset::ALL.iter().map(|preset| preset.name)) {
        Some(name) => format!("did you mean `{PRESET_PREFIX}{name}`?"),
        None => format!("expected one of {}", Preset::ALL.iter().map(Preset::written).collect::<Vec<_>>().join(", ")),
    };
    format!("unknown preset `{written}`; {hint}")
}
