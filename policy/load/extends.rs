//! Reads `extends`: the presets that a file adds.

use super::file::PolicyFile;
use super::parser::FileParser;
use super::reader::TomlValue;
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
        add(preset, &mut parser.parts.presets);
    }
}

/// Adds a preset, and then those that it extends, each once.
fn add(preset: &Preset, to: &mut Vec<PolicyFile>) {
    to.push(PolicyFile::of_preset(preset));
    for written in preset.rules.extends {
        if let Some(preset) = Preset::named(written).filter(|_| !is_loaded(to, written)) {
            add(preset, to);
        }
    }
}

/// Returns true if a preset is among these.
pub(super) fn is_loaded(presets: &[PolicyFile], written: &str) -> bool {
    presets.iter().any(|preset| preset.source.shown == written)
}

fn unknown(written: &str) -> String {
    let name = written.strip_prefix(PRESET_PREFIX).unwrap_or(written);
    let hint = match nearest(name, Preset::all().iter().map(|preset| preset.name)) {
        Some(name) => format!("did you mean `{PRESET_PREFIX}{name}`?"),
        None => format!("expected one of {}", Preset::all().iter().map(Preset::written).collect::<Vec<_>>().join(", ")),
    };
    format!("unknown preset `{written}`; {hint}")
}
