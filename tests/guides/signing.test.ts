import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createSigner } from '../../client/sign.ts';
import {
  hmacSha256Algorithm,
  isDigestOf,
  readHttpSignature,
  signatureBase,
} from '../../src/auth/http-signature.ts';
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

/** The first block of a page in bash that defines a function of this name. */
const bashOf = (name: string, definition: string): string => {
  const page = guides.find((each) => each.name === name);
  const block = page?.blocks.find((each) => each.language === 'bash' && each.text.includes(definition));
  if (block === undefined) throw new Error(`${name} does not define ${definition}`);
  return block.text;
};

/** A file to which the pages link. */
const snippet = (name: string): string => readFileSync(join(root, 'docs/snippets', name), 'utf8');

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
      'sign.sh': `${bashOf('signing.md', 'sign() {')}
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
      'sign.mjs': `${snippet('sign.mjs')}
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
      'sign.py': `${snippet('sign.py')}

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
      'Main.java': snippet('Signer.java').replace(
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
      'sign.go': snippet('sign.go'),
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
      'sign.php': `${snippet('sign.php')}
foreach (explode("\\n", stream_get_contents(STDIN)) as $line) {
    [$secret, $timestamp, $body] = explode("\\t", $line);
    echo sign(base64_decode($secret), $timestamp, base64_decode($body)), "\\n";
}`,
    }),
    command: ['php', 'sign.php'],
  },
];

const isInstalled = ({ program, version }: Language): boolean => spawnSync(program, [version]).status === 0;

const execute = (
  [program, ...args]: readonly [string, ...string[]],
  input: string = lines,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile(program, args, { cwd: directory }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(stderr, { cause: error })),
    );
    child.stdin?.end(input);
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

  it('signature vectors are what the service computes', () => {
    expect(cases.map(({ api_secret, timestamp, body }) => signatureOf(api_secret, timestamp, body))).toEqual(
      expected,
    );
  });

  it('signature vectors are what gatewright/client/sign computes, of text and of bytes', async () => {
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

  it('signature vectors are what gatewright sign computes, and its --message is what they sign', async () => {
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
      `signature vectors are what the snippet in ${language.name} computes (needs ${language.program})`,
      async () => {
        for (const [name, text] of Object.entries(language.files()))
          writeFileSync(join(directory, name), text);
        expect((await execute(language.command)).trim().split('\n')).toEqual(expected);
      },
    );
});

/** Requests that are easily signed wrongly: secret, method, address and body. */
const requests: readonly (readonly [secret: string, method: string, url: string, body: string])[] = [
  ['s'.repeat(64), 'GET', 'https://api.example.com/api/v1/parcels', ''],
  [
    'clé-密钥-kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk',
    'POST',
    'https://api.example.com/a?b=%20&c=%E5%AD%97',
    '{"a":"字🧾"}\r\n',
  ],
  ['s'.repeat(64), 'PATCH', 'http://127.0.0.1:3000/shop/api/v1/parcels/1?x', ' \n'],
  ['s'.repeat(64), 'DELETE', 'http://[::1]:8080/', '%s %d \\n "'],
];

const requestLines = requests
  .map(([secret, method, url, body]) =>
    [Buffer.from(secret).toString('base64'), method, url, Buffer.from(body).toString('base64')].join('\t'),
  )
  .join('\n');

const httpLanguages: readonly Language[] = [
  {
    name: 'bash',
    program: 'openssl',
    version: 'version',
    files: () => ({
      'http.sh': `${bashOf('http-signatures.md', 'sign_http() {')}
while IFS=$'\\t' read -r secret method url body || [ -n "$secret" ]; do
  printf '%s' "$body" | base64 -d | sign_http "$(printf '%s' "$secret" | base64 -d)" shop "$method" "$url"
done`,
    }),
    command: ['bash', 'http.sh'],
  },
  {
    name: 'js',
    program: process.execPath,
    version: '--version',
    files: () => ({
      'http.mjs': `${snippet('sign_http.mjs')}
import { readFileSync } from 'node:fs';
for (const line of readFileSync(0, 'utf8').split('\\n')) {
  const [secret, method, url, body] = line.split('\\t');
  const headers = signHttp(Buffer.from(secret, 'base64').toString(), 'shop', method, url, Buffer.from(body, 'base64'));
  for (const [name, value] of Object.entries(headers)) console.log(name + ': ' + value);
}`,
    }),
    command: [process.execPath, 'http.mjs'],
  },
  {
    name: 'python',
    program: 'python3',
    version: '--version',
    files: () => ({
      'http_signature.py': `${snippet('sign_http.py')}

import sys
for line in sys.stdin.read().split("\\n"):
    secret, method, url, body = line.split("\\t")
    headers = sign_http(base64.b64decode(secret).decode(), "shop", method, url, base64.b64decode(body))
    for name, value in headers.items():
        print(f"{name}: {value}")`,
    }),
    command: ['python3', 'http_signature.py'],
  },
  {
    name: 'go',
    program: 'go',
    version: 'version',
    files: () => ({
      'http.go': snippet('sign_http.go'),
      'http_main.go': `package main

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
		body, _ := base64.StdEncoding.DecodeString(parts[3])
		for name, value := range signHTTP(string(secret), "shop", parts[1], parts[2], body) {
			fmt.Println(name + ": " + value)
		}
	}
}`,
    }),
    command: ['go', 'run', 'http.go', 'http_main.go'],
  },
];

/** True if three headers are a signature of the request, by the code that the service verifies with. */
const isSignatureOf = (
  [secret, method, url, body]: (typeof requests)[number],
  headers: ReadonlyMap<string, string>,
): boolean => {
  const { origin } = new URL(url);
  const found = readHttpSignature(headers.get('signature-input') ?? '', headers.get('signature') ?? '');
  const header = (name: string): string | undefined => headers.get(name);
  const base =
    found && signatureBase({ method, origin, target: url.slice(origin.length), header }, found.input);
  if (found === undefined || base === undefined || found.keyId !== 'shop') return false;
  return (
    hmacSha256Algorithm.verifies(secret, base, found.signature) &&
    isDigestOf(headers.get('content-digest') ?? '', Buffer.from(body))
  );
};

describe('the snippets of HTTP message signatures', () => {
  for (const language of httpLanguages)
    it.skipIf(!isInstalled(language))(
      `the snippet of message signatures in ${language.name} signs what the service verifies (needs ${language.program})`,
      async () => {
        for (const [name, text] of Object.entries(language.files()))
          writeFileSync(join(directory, name), text);
        const printed = (await execute(language.command, requestLines)).trim().split('\n');
        expect(printed).toHaveLength(3 * requests.length);
        const nonces = new Set<unknown>();
        for (const [index, request] of requests.entries()) {
          const lines = printed.slice(3 * index, 3 * index + 3).map((line): [string, string] => {
            const [name = '', ...value] = line.split(': ');
            return [name.toLowerCase(), value.join(': ')];
          });
          const headers = new Map(lines);
          expect(isSignatureOf(request, headers), `${language.name} ${request[2]}`).toBe(true);
          nonces.add(/nonce="([^"]*)"/.exec(headers.get('signature-input') ?? '')?.[1]);
        }
        expect(nonces.size).toBe(requests.length);
      },
    );
});
