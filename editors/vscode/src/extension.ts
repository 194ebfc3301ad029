import * as vscode from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";
import { launch } from "./command";

let client: LanguageClient | undefined;
// Starts and stops come one after the other, however fast the settings change.
let turn: Promise<void> = Promise.resolve();

interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(path: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function python(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  return extension && (extension.isActive ? extension.exports : await extension.activate());
}

async function selectedInterpreter(): Promise<string[] | undefined> {
  const api = await python();
  if (api === undefined) {
    return undefined;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const found = await api.environments.resolveEnvironment(
    api.environments.getActiveEnvironmentPath(folder),
  );
  const file = found?.executable.uri?.fsPath;
  return file === undefined ? undefined : [file];
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("dlfix");
  if (!settings.get<boolean>("enable", true)) {
    return;
  }
  const how = launch(settings.get<string>("interpreter", ""), await selectedInterpreter(), process.platform);
  const made = new LanguageClient(
    "dlfix",
    "dlfix",
    { ...how, transport: TransportKind.stdio },
    {
      documentSelector: [
        { language: "python", scheme: "file" },
        { language: "python", scheme: "vscode-notebook-cell" },
      ],
    },
  );
  client = made;
  try {
    await made.start();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(
      `dlfix: the language server does not start with ${how.command} (${reason}). ` +
        "Install it there: pip install 'dlfix[lsp]'",
    );
  }
}

async function stop(): Promise<void> {
  const old = client;
  client = undefined;
  try {
    await old?.stop();
  } catch {
    // It did not start, or is gone already.
  }
}

function restart(): Promise<void> {
  turn = turn.then(stop).then(start);
  return turn;
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("dlfix.restart", restart),
    vscode.commands.registerCommand("dlfix.fixAll", () =>
      vscode.commands.executeCommand("editor.action.codeAction", {
        kind: "source.fixAll.dlfix",
        apply: "first",
      }),
    ),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("dlfix")) {
        void restart();
      }
    }),
  );
  const api = await python();
  if (api !== undefined) {
    context.subscriptions.push(api.environments.onDidChangeActiveEnvironmentPath(() => void restart()));
  }
  await restart();
}

export function deactivate(): Promise<void> {
  turn = turn.then(stop);
  return turn;
}
