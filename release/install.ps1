# Installs the released program: downloads the archive of Windows, checks its SHA-256 sum, and copies the program.
#   $env:SNAPHOOK_VERSION   the version, such as 0.1.0; default: the newest
#   $env:SNAPHOOK_BIN       the folder of the program; default: %LOCALAPPDATA%\snaphook\bin
$ErrorActionPreference = 'Stop'
$releases = 'https://github.com/snaphook/snaphook/releases'
$from = if ($env:SNAPHOOK_VERSION) { "$releases/download/v$env:SNAPHOOK_VERSION" } else { "$releases/latest/download" }
$bin = if ($env:SNAPHOOK_BIN) { $env:SNAPHOOK_BIN } else { Join-Path $env:LOCALAPPDATA 'snaphook\bin' }
$name = 'snaphook-x86_64-pc-windows-msvc'
$folder = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
New-Item -ItemType Directory -Path $folder | Out-Null
try {
    $archive = Join-Path $folder "$name.zip"
    Invoke-WebRequest -UseBasicParsing "$from/$name.zip" -OutFile $archive
    $sum = (Invoke-WebRequest -UseBasicParsing "$from/$name.zip.sha256").Content
    if ($sum -is [byte[]]) { $sum = [Text.Encoding]::ASCII.GetString($sum) }
    if ((Get-FileHash -Algorithm SHA256 $archive).Hash -ne $sum.Split(' ')[0]) {
        throw "$name.zip has another SHA-256 sum than the release"
    }
    Expand-Archive $archive -DestinationPath $folder
    New-Item -ItemType Directory -Force -Path $bin | Out-Null
    Copy-Item -Force (Join-Path $folder "$name\snaphook.exe") $bin
    & (Join-Path $bin 'snaphook.exe') --version
    if (($env:PATH -split ';') -notcontains $bin) { Write-Output "$bin is not on PATH" }
    Write-Output 'Next: snaphook install'
} finally {
    Remove-Item -Recurse -Force $folder
}
