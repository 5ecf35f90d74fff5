import { describe, expect, test } from 'vitest';
import { contentType, headLength, isAccepted, isInline, peeked, usualName } from './content.ts';
import { disposition, shortened } from './disposition.ts';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('the type of a file', () => {
  test.each([
    ['image/png', latin('\x89PNG\r\n\x1a\n\0\0')],
    ['image/jpeg', latin('\xff\xd8\xff\xe0\0\x10JFIF')],
    ['image/webp', latin('RIFF\x10\0\0\0WEBPVP8 ')],
    ['image/avif', latin('\0\0\0\x1cftypavif')],
    ['video/mp4', latin('\0\0\0\x1cftypisom')],
    ['audio/wav', latin('RIFF\x10\0\0\0WAVEfmt ')],
    ['application/pdf', latin('%PDF-1.7\n')],
    ['application/zip', latin('PK\x03\x04')],
    ['text/plain', Buffer.from('Ünicode ✓\tand lines\r\n')],
    ['text/plain', latin('')],
    ['application/octet-stream', latin('\0\x01\x02')],
    ['application/octet-stream', latin('Latin-1: \xe4')],
    ['text/html', Buffer.from('  <!DOCTYPE html><script>alert(1)</script>')],
    ['text/html', Buffer.from('<!-- a comment -->\n<a href="javascript:alert(1)">x</a>')],
    ['text/html', Buffer.from('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">')],
    ['text/html', Buffer.from('\ufeff<script>alert(1)</script>')],
    ['image/svg+xml', Buffer.from('<?xml version="1.0"?>\n<!-- x --><svg onload="alert(1)">')],
    ['application/xml', Buffer.from('<?xml version="1.0"?><feed/>')],
  ])('is %s by its bytes, whatever its caller says', (type, bytes) => {
    for (const claimed of ['image/png', 'text/html', '', 'application/x-made-up'])
      expect(contentType(bytes, claimed)).toBe(type);
  });

  test('is the one that its caller says among types that share a form', () => {
    expect(contentType(Buffer.from('a,b\n'), 'text/csv')).toBe('text/csv');
    const document = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    expect(contentType(latin('PK\x03\x04'), document)).toBe(document);
    expect(contentType(Buffer.from('<script>'), 'text/csv')).toBe('text/html');
    expect(contentType(latin('%PDF-1.7'), document)).toBe('application/pdf');
  });

  test('is text although the first bytes end within a character', () => {
    const long = Buffer.from('é'.repeat(headLength)).subarray(1 - 1, headLength - 1);
    const cut = Buffer.concat([Buffer.from('x'), Buffer.from('é'.repeat(headLength))]).subarray(
      0,
      headLength,
    );
    expect(contentType(cut, '')).toBe('text/plain');
    // A short file is complete: half a character is no text.
    expect(contentType(long.subarray(0, 11), '')).toBe('application/octet-stream');
  });

  test('SVG is a picture only for a field that names it, and never shown within a page', () => {
    expect(isAccepted('image/png', ['image/*'])).toBe(true);
    expect(isAccepted('image/svg+xml', ['image/*'])).toBe(false);
    expect(isAccepted('image/svg+xml', ['image/svg+xml'])).toBe(true);
    expect(isAccepted('text/html', undefined)).toBe(true);
    expect(isAccepted('imagex/png', ['image/*'])).toBe(false);
    expect(isInline('image/png')).toBe(true);
    for (const type of ['image/svg+xml', 'text/html', 'application/pdf', 'application/xml', 'image/tiff'])
      expect(isInline(type)).toBe(false);
    expect(usualName('invoice', 'application/pdf')).toBe('invoice.pdf');
    expect(usualName('invoice', 'video/mp4')).toBe('invoice.bin');
  });

  test('the first bytes are read once, and a reader that stops early stops the source', async () => {
    let isStopped = false;
    const source = async function* (): AsyncGenerator<Uint8Array> {
      try {
        for (let chunk = 0; ; chunk++) yield Buffer.alloc(3_000, chunk);
      } finally {
        isStopped = true;
      }
    };
    const { head, whole } = await peeked(source());
    expect(head).toHaveLength(headLength);
    const first: number[] = [];
    for await (const chunk of whole) {
      first.push(chunk[0] ?? -1);
      if (first.length === 4) break;
    }
    expect(first).toEqual([0, 1, 2, 3]);
    expect(isStopped).toBe(true);
  });
});

describe('the name of a file', () => {
  test('has at most 255 bytes, whole characters, and its ending', () => {
    const emoji = '👩‍🚀'.repeat(100);
    const name = shortened(`${emoji}.pdf`);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    expect(name.endsWith('.pdf')).toBe(true);
    expect(name.isWellFormed()).toBe(true);
    expect(shortened('plain.pdf')).toBe('plain.pdf');
    expect(Buffer.byteLength(shortened('x'.repeat(1_000)))).toBe(255);
  });

  test('is a quoted text for all clients, and exact for those of RFC 8187', () => {
    expect(disposition('inline', 'plan.png')).toBe('inline; filename="plan.png"');
    expect(disposition('attachment', 'Rechnung "März" 5%.pdf')).toBe(
      'attachment; filename="Rechnung _M_rz_ 5_.pdf"; filename*=UTF-8\'\'Rechnung%20%22M%C3%A4rz%22%205%25.pdf',
    );
    expect(disposition('attachment', "it's (1)*.txt")).toBe(`attachment; filename="it's (1)*.txt"`);
    const header = disposition('attachment', 'a\r\nSet-Cookie: x=1\u202e.txt');
    expect(/^[\x20-\x7e]*$/.test(header)).toBe(true);
  });
});
