class Snaphook < Formula
  desc "One hook binary that every coding agent can call"
  homepage "https://github.com/snaphook/snaphook"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    url "https://github.com/snaphook/snaphook/releases/download/v@VERSION@/snaphook-universal-apple-darwin.tar.gz"
    sha256 "@SUM_MACOS@"
  end

  on_linux do
    on_intel do
      url "https://github.com/snaphook/snaphook/releases/download/v@VERSION@/snaphook-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SUM_X86_64@"
    end
    on_arm do
      url "https://github.com/snaphook/snaphook/releases/download/v@VERSION@/snaphook-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SUM_AARCH64@"
    end
  end

  def install
    bin.install "snaphook"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/snaphook.bash" => "snaphook"
    zsh_completion.install "completions/snaphook.zsh" => "_snaphook"
    fish_completion.install "completions/snaphook.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/snaphook --version")
  end
end
