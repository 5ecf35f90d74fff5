import { signatureOf } from '../src/auth/signature.ts';

/** Bodies whose bytes are easy to get wrong. */
const bodies: Readonly<Record<string, string>> = {
  'no body': '',
  'a JSON object': '{"order_no":"A-1","amount":1250,"currency":"CNY"}',
  'blanks and line feeds are part of the body': '{\n  "order_no": "A-1",\n  "amount": 1250\n}\n',
  'carriage returns stay': '{"note":"one"}\r\n',
  'a body that begins with a line feed': '\n{}',
  'Chinese in UTF-8': '{"title":"订单","备注":"加急"}',
  'emoji outside the basic plane': '{"note":"🧾👩‍👩‍👧 paid"}',
  'escapes are not decoded': '{"note":"\\u8ba2\\u5355 \\/ \\n"}',
  'quotes and shell characters': `{"note":"it's $HOME \`x\` \\\\ \\" % ! *"}`,
  'composed and decomposed accents differ': '{"a":"\u00e9","b":"e\u0301"}',
  'longer than a block of the hash': `{"data":"${'0123456789abcdef'.repeat(512)}"}`,
};

const secrets = {
  shop: 'c3f1a86d0b9e4f27a5d8126e7b40c9f3d21e6a5b8c7f0d94e3a2b1c05f6e7d8a',
  /** Longer than a block of the hash, and not ASCII: the key is the UTF-8 bytes of the text. */
  bank: `clé-密钥-${'k'.repeat(80)}`,
} as const;

const first = 1_767_225_600;

/** `signature-vectors.json`, for implementations of the signature in other languages. */
export const vectorsFile = (): string => {
  const cases = Object.entries(bodies).flatMap(([name, body], index) =>
    Object.entries(secrets).map(([app_id, api_secret]) => {
      const timestamp = String(first + index);
      return {
        name,
        app_id,
        api_secret,
        timestamp,
        body,
        body_base64: Buffer.from(body).toString('base64'),
        signature: signatureOf(api_secret, timestamp, body),
      };
    }),
  );
  const about =
    'signature = lowercase hex of HMAC-SHA256, key: api_secret as UTF-8, message: timestamp, one line feed, the bytes of the body';
  return `${JSON.stringify({ about, cases }, null, 2)}\n`;
};
