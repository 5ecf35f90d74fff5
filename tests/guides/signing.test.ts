import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createSigner } from '../../client/sign.ts';
import { signatureOf } from '../../src/auth/signature.ts';
import { run } from '../../src/cli/test-io.ts';
import { root } from '../tour/service.ts';
import { guides } from './pages.ts';

interface Vector {
  readonly name: string;
  readonly app_id: string;
  readonly api_secret: string;
  readonly timestamp: string;
  readonly body: string;
  readonly body_base64: string;
  readonly signature: string;
}

const file = await readFile(join(root, 'docs/reference/signature-vectors.json'), 'utf8');
const { cases }: { cases: readonly Vector[] } = JSON.parse(file);
const expected = cases.map(({ signature }) => signature);
const page = guides.find(({ name }) => name === 'signing.md');

/** The first block of the page in a language. */
const snippet = (language: string): string => {
  const block = page?.blocks.find((each) => each.language === language && /\bsign\b.*[({]/.test(each.text));
  if (block === undefined) throw new Error(`signing.md has no snippet in ${language}`);
  return block.text;
};

/** One vector a line, for programs that read no JSON: secret and body in base64, separated by tabs. */
const lines = cases
  .map(({ api_secret, timestamp, body_base64 }) =>
    [Buffer.from(api_secret).toString('base64'), timestamp, body_base64].join('\t'),
  )
  .join('\n');

const directory = mkdtempSync(join(tmpdir(), 'gatewright-signing-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Language {
  readonly name: string;
  /** A program whose absence skips the test. */
  readonly program: string;
  readonly version: string;
  readonly files: () => Readonly<Record<string, string>>;
  readonly command: readonly [string, ...string[]];
}

const languages: readonly Language[] = [
  {
    name: 'bash',
    program: 'openssl',
    version: 'version',
    files: () => ({
      'sign.sh': `${snippet('bash')}
while IFS=$'\\t' read -r secret timestamp body || [ -n "$secret" ]; do
  printf '%s' "$body" | base64 -d | sign "$(printf '%s' "$secret" | base64 -d)" "$timestamp"
done`,
    }),
    command: ['bash', 'sign.sh'],
  },
  {
    name: 'js',
    program: process.execPath,
    version: '--version',
    files: () => ({
      'sign.mjs': `${snippet('js')}
import { readFileSync } from 'node:fs';
for (const line of readFileSync(0, 'utf8').split('\\n')) {
  const [secret, timestamp, body] = line.split('\\t');
  console.log(sign(Buffer.from(secret, 'base64').toString(), timestamp, Buffer.from(body, 'base64')));
}`,
    }),
    command: [process.execPath, 'sign.mjs'],
  },
  {
    name: 'python',
    program: 'python3',
    version: '--version',
    files: () => ({
      'sign.py': `${snippet('python')}

import base64, sys
for line in sys.stdin.read().split("\\n"):
    secret, timestamp, body = line.split("\\t")
    print(sign(base64.b64decode(secret).decode(), timestamp, base64.b64decode(body)))`,
    }),
    command: ['python3', 'sign.py'],
  },
  {
    name: 'java',
    program: 'java',
    version: '-version',
    files: () => ({
      'Main.java': snippet('java').replace(
        'class Signer {',
        `public class Main {
  public static void main(String[] arguments) throws Exception {
    var decoder = java.util.Base64.getDecoder();
    for (String line : new String(System.in.readAllBytes(), UTF_8).split("\\n")) {
      String[] parts = line.split("\\t", -1);
      System.out.println(
          Signer.sign(new String(decoder.decode(parts[0]), UTF_8), parts[1], decoder.decode(parts[2])));
    }
  }
}

class Signer {`,
      ),
    }),
    command: ['java', 'Main.java'],
  },
  {
    name: 'go',
    program: 'go',
    version: 'version',
    files: () => ({
      'sign.go': snippet('go'),
      'main.go': `package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	input, _ := io.ReadAll(os.Stdin)
	for _, line := range strings.Split(string(input), "\\n") {
		parts := strings.Split(line, "\\t")
		secret, _ := base64.StdEncoding.DecodeString(parts[0])
		body, _ := base64.StdEncoding.DecodeString(parts[2])
		fmt.Println(sign(string(secret), parts[1], body))
	}
}`,
    }),
    command: ['go', 'run', 'sign.go', 'main.go'],
  },
  {
    name: 'php',
    program: 'php',
    version: '--version',
    files: () => ({
      'sign.php': `${snippet('php')}
foreach (explode("\\n", stream_get_contents(STDIN)) as $line) {
    [$secret, $timestamp, $body] = explode("\\t", $line);
    echo sign(base64_decode($secret), $timestamp, base64_decode($body)), "\\n";
}`,
    }),
    command: ['php', 'sign.php'],
  },
];

const isInstalled = ({ program, version }: Language): boolean => spawnSync(program, [version]).status === 0;

const execute = ([program, ...args]: readonly [string, ...string[]]): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile(program, args, { cwd: directory }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(stderr, { cause: error })),
    );
    child.stdin?.end(lines);
  });

describe('signature vectors', () => {
  it('name every kind of body that is easily got wrong', () => {
    expect(cases.length).toBeGreaterThan(20);
    for (const { body, body_base64 } of cases)
      expect(Buffer.from(body_base64, 'base64').equals(Buffer.from(body))).toBe(true);
    const bodies = cases.map(({ body }) => body);
    expect(bodies).toContain('');
    expect(bodies.some((body) => body.includes('\r\n'))).toBe(true);
    expect(bodies.some((body) => /\p{Script=Han}/u.test(body))).toBe(true);
    expect(bodies.some((body) => /\p{Emoji_Presentation}/u.test(body))).toBe(true);
    expect(bodies.some((body) => body.length > 4096)).toBe(true);
    expect(bodies.some((body) => body.normalize('NFC') !== body)).toBe(true);
  });

  it('are what the service computes', () => {
    expect(cases.map(({ api_secret, timestamp, body }) => signatureOf(api_secret, timestamp, body))).toEqual(
      expected,
    );
  });

  it('are what gatewright/client/sign computes, of text and of bytes', async () => {
    for (const { app_id, api_secret, timestamp, body, signature } of cases) {
      const signer = createSigner({
        appId: app_id,
        apiSecret: api_secret,
        now: () => Number(timestamp) * 1000 + 999,
      });
      const headers = { 'X-App-Id': app_id, 'X-Timestamp': timestamp, 'X-Signature': signature };
      expect(await signer.headers(body)).toEqual(headers);
      expect(await signer.headers(Buffer.from(body))).toEqual(headers);
      if (body === '') expect(await signer.headers()).toEqual(headers);
    }
  });

  it('are what gatewright sign computes, and its --message is what they sign', async () => {
    for (const { app_id, api_secret, timestamp, body, signature } of cases) {
      const bodyFile = join(directory, 'body');
      writeFileSync(bodyFile, body);
      const given = ['--timestamp', timestamp, '--body-file', bodyFile];
      const signed = await run(['sign', '--app', app_id, '--secret-stdin', '--json', ...given], {
        stdin: api_secret,
      });
      expect(JSON.parse(signed.stdout)).toMatchObject({ 'X-Signature': signature });
      expect((await run(['sign', '--message', ...given])).stdout).toBe(`${timestamp}\n${body}`);
    }
  });

  for (const language of languages)
    it.skipIf(!isInstalled(language))(
      `are what the snippet in ${language.name} computes (needs ${language.program})`,
      async () => {
        for (const [name, text] of Object.entries(language.files()))
          writeFileSync(join(directory, name), text);
        expect((await execute(language.command)).trim().split('\n')).toEqual(expected);
      },
    );
});
