//! The map that the linker writes with a program.

use std::ops::Range;

/// A part of the program before it was linked, such as a function or a constant.
pub(crate) struct Section {
    pub(crate) addresses: Range<u64>,
    pub(crate) output: String,
    pub(crate) name: String,
    /// The pattern that selects it in a linker script.
    pub(crate) pattern: String,
}

/// Reads the map and returns the parts of these output sections, by address. The columns of a line are the address, the address
/// in memory, the size and the alignment, then, in columns of their own, an output section, a part of it, or a symbol in that
/// part.
pub(crate) fn read(map: &str, outputs: &[&str]) -> Vec<Section> {
    let head = map.lines().next().unwrap_or_default();
    let [output_column, part_column] = ["Out", "In"].map(|column| head.find(column).expect("a map of lld"));
    let mut output = "";
    let mut sections = Vec::new();
    for line in map.lines().skip(1) {
        let name = |column: usize| line.get(column..).filter(|name| !name.starts_with(' '));
        if let Some(name) = name(output_column) {
            output = name;
        } else if let Some((file, name)) = name(part_column).and_then(split).filter(|_| outputs.contains(&output)) {
            let mut numbers = line.split_ascii_whitespace().map(|number| u64::from_str_radix(number, 16));
            let (Some(Ok(start)), Some(Ok(size))) = (numbers.next(), numbers.nth(1)) else { continue };
            let Some(pattern) = pattern(file, name, outputs) else { continue };
            let (output, name) = (output.to_owned(), name.to_owned());
            sections.push(Section { addresses: start..start + size, output, name, pattern });
        }
    }
    sections.retain(|section| !section.addresses.is_empty());
    sections.sort_by_key(|section| section.addresses.start);
    sections
}

/// Splits `FILE:(SECTION)`.
fn split(part: &str) -> Option<(&str, &str)> {
    part.strip_suffix(')')?.rsplit_once(":(")
}

/// Returns the pattern of a part, or `None` if the linker itself created the part.
fn pattern(file: &str, name: &str, outputs: &[&str]) -> Option<String> {
    if file.starts_with('<') {
        // The linker merges equal constants of all files.
        return name.starts_with(".rodata.cst").then(|| format!("*({name})"));
    }
    if !outputs.contains(&name) {
        return Some(format!("*({name})"));
    }
    // Many files have a section of that name. The file is `OBJECT` or `ARCHIVE(OBJECT)`.
    let (path, object) = match file.strip_suffix(')').and_then(|file| file.rsplit_once('(')) {
        Some((archive, object)) => (archive, format!(":{object}")),
        None => (file, String::new()),
    };
    Some(format!("*{}{object}({name})", path.rsplit('/').next()?))
}
