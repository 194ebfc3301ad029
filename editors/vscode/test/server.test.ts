// A headless client starts the server as the extension does, and asks it about an unsaved file.

import * as assert from "node:assert";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import {
  CodeAction,
  CodeActionRequest,
  DidOpenTextDocumentNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  PublishDiagnosticsParams,
  ShutdownRequest,
  ExitNotification,
} from "vscode-languageserver-protocol";
import { launch, START } from "../src/command";

const LOADER = `from torch.utils.data import DataLoader


def make(rows):
    return DataLoader(rows, num_workers=2, collate_fn=lambda batch: batch[0])
`;

test("the setting comes before the selected interpreter, that before the default", () => {
  const args = ["-c", START, "lsp"];
  assert.deepStrictEqual(launch(" /a/python ", ["/b/python"], "linux"), { command: "/a/python", args });
  assert.deepStrictEqual(launch("", ["/b/python"], "linux"), { command: "/b/python", args });
  assert.deepStrictEqual(launch("", undefined, "linux"), { command: "python3", args });
  assert.deepStrictEqual(launch("", [], "win32"), { command: "python", args });
});

test("a lambda in an unsaved file is found and can be fixed", { timeout: 300_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "dlfix-"));
  const trap = join(folder, "trapped");
  for (const name of ["dlfix", "signal", "types"]) {
    writeFileSync(join(folder, `${name}.py`), `open(${JSON.stringify(trap)}, "w")\n`);
  }
  const { command, args } = launch(process.env.DLFIX_PYTHON ?? "", undefined, process.platform);
  const server = spawn(command, args, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  const published = new Promise<PublishDiagnosticsParams>((resolve) =>
    connection.onNotification(PublishDiagnosticsNotification.type, resolve),
  );
  connection.listen();
  const uri = pathToFileURL(join(folder, "a.py")).href;
  await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: { workspace: { workspaceEdit: { documentChanges: true } } },
  });
  await connection.sendNotification(InitializedNotification.type, {});
  await connection.sendNotification(DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "python", version: 1, text: LOADER },
  });
  const { diagnostics } = await published;
  assert.deepStrictEqual(diagnostics.map((one) => one.code), ["DLF101"]);
  const actions = (await connection.sendRequest(CodeActionRequest.type, {
    textDocument: { uri },
    range: diagnostics[0].range,
    context: { diagnostics },
  })) as CodeAction[];
  assert.match(actions[0].title, /^DLF101: Move the lambda/);
  assert.match(JSON.stringify(actions[0].edit), /_collate_fn/);
  await connection.sendRequest(ShutdownRequest.type);
  await connection.sendNotification(ExitNotification.type);
  const status = await new Promise((resolve) => server.on("exit", resolve));
  assert.strictEqual(status, 0);
  assert.ok(!existsSync(trap), "a module of the edited folder was imported");
});
