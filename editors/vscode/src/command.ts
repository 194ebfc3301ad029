// Which interpreter runs the server. Nothing here needs VS Code, so that it can be tested without.

export interface Launch {
  command: string;
  args: string[];
}

// Not `-m dlfix`: that looks for modules in the working directory first, which is the folder that is edited.
export const START =
  "import sys; sys.path[:] = [entry for entry in sys.path if entry]; from dlfix.__main__ import main; main()";

/** The command that serves a folder: the setting first, then the selected interpreter. */
export function launch(setting: string, selected: string[] | undefined, platform: string): Launch {
  const chosen = setting.trim();
  const [command, ...before] = chosen
    ? [chosen]
    : selected && selected.length > 0
      ? selected
      : [platform === "win32" ? "python" : "python3"];
  return { command, args: [...before, "-c", START, "lsp"] };
}
