/** A message of a webhook on its way: the addresses that it may go to, its signature, its body, and the request. */

import { createHmac, randomBytes } from 'node:crypto';
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Agent } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Identity, IdentityStore } from '../../auth/ports.ts';
import { takes } from '../../auth/principal.ts';
import { methodsNamed } from '../../auth/registry.ts';
import { errorMessage } from '../../kernel/error-message.ts';
import { http } from '../../kernel/node-http.ts';
import type { EventLog, RecordedEvent } from '../../ledger/event-log.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { Grant } from '../../policy/grant.ts';
import type { ActorReader } from '../../records/history.ts';
import type { Related } from '../../records/relations.ts';
import {
  type AreaRules,
  grantOfManaged,
  grantsOfRelated,
  relatedFor,
  type ServedResource,
} from '../../resources/operations.ts';
import { viewEvents, visibleEvents } from '../events/event-view.ts';

// Addresses

/**
 * Address ranges outside the public internet: a URL that an administrator enters must not lead to this machine, its
 * network or the metadata service of a cloud. From IANA's registries of special-purpose addresses
 * (iana-ipv4-special-registry and iana-ipv6-special-registry, RFC 6890), including those with global reach, and from
 * the documentation of clouds.
 */
const specialRanges = [
  ['0.0.0.0/8', 'this network, RFC 791'],
  ['10.0.0.0/8', 'private use, RFC 1918'],
  [
    '100.64.0.0/10',
    'shared address space, RFC 6598; 100.100.100.200 is the metadata service of Alibaba Cloud',
  ],
  ['127.0.0.0/8', 'loopback, RFC 1122'],
  ['168.63.129.16/32', 'virtual address of the platform in Azure'],
  ['169.254.0.0/16', 'link local, RFC 3927; 169.254.169.254 is the metadata service of most clouds'],
  ['172.16.0.0/12', 'private use, RFC 1918'],
  ['192.0.0.0/24', 'protocol assignments, RFC 6890; 192.0.0.192 is the metadata service of Oracle Cloud'],
  ['192.0.2.0/24', 'documentation, RFC 5737'],
  ['192.31.196.0/24', 'AS112, RFC 7535'],
  ['192.52.193.0/24', 'AMT, RFC 7450'],
  ['192.88.99.0/24', '6to4 relays, RFC 7526'],
  ['192.168.0.0/16', 'private use, RFC 1918'],
  ['192.175.48.0/24', 'AS112, RFC 7534'],
  ['198.18.0.0/15', 'benchmarks, RFC 2544'],
  ['198.51.100.0/24', 'documentation, RFC 5737'],
  ['203.0.113.0/24', 'documentation, RFC 5737'],
  ['224.0.0.0/4', 'multicast, RFC 5771'],
  ['240.0.0.0/4', 'reserved and broadcast, RFC 1112'],
  // Not listed, as they are outside 2000::/3: ::, ::1, ::ffff:0:0/96 (mapped), ::/96 (compatible),
  // 64:ff9b::/96 and 64:ff9b:1::/48 (NAT64), 100::/64, 5f00::/16, fc00::/7, fe80::/10, fec0::/10, ff00::/8.
  ['2001::/23', 'protocol assignments, RFC 2928: Teredo, ORCHID, benchmarks'],
  ['2001:db8::/32', 'documentation, RFC 3849'],
  ['2002::/16', '6to4, RFC 3056: holds an IPv4 address'],
  ['2620:4f:8000::/48', 'AS112, RFC 7534'],
  ['3fff::/20', 'documentation, RFC 9637'],
] as const;

const listOf = (ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
};

const rangesOf = (family: 4 | 6): readonly string[] =>
  specialRanges.map(([range]) => range).filter((range) => range.includes(':') === (family === 6));

const special4 = listOf(rangesOf(4), 'ipv4');
const special6 = listOf(rangesOf(6), 'ipv6');
/** The range of all IPv6 addresses that are allocated so far. */
const global6 = listOf(['2000::/3'], 'ipv6');

/** Tells whether a text is an address of the public internet; false for any other text. */
export const isPublicAddress = (address: string): boolean => {
  // A zone names an interface of this machine.
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !special4.check(address, 'ipv4');
  // `check` treats an IPv4-mapped address as IPv4, so 2000::/3 is checked first, which contains none.
  return family === 6 && global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
};

/** The address in a URL, in any spelling; undefined where the URL contains a host name. */
const literalAddress = ({ hostname }: URL): string | undefined => {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
};

/**
 * Maximum length of a URL in characters.
 * @limit Events, webhooks and jobs | a webhook’s URL | characters | 422
 */
export const maxUrlLength = 2_000;

/** Tells whether a webhook may use a URL, as far as it can be decided without resolving its host. */
export const isWebhookUrl = (text: string, allowPrivate: boolean): boolean => {
  if (text.length > maxUrlLength || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '') return false;
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return false;
  const literal = literalAddress(url);
  return allowPrivate || literal === undefined || isPublicAddress(literal);
};

// Signatures

/** Standard Webhooks 1.0 (https://www.standardwebhooks.com): by the signature a receiver verifies sender and time. */

const prefix = 'whsec_';

/** 32 random bytes, in the form that a receiver gets. */
export const newWebhookSecret = (): string => prefix + randomBytes(32).toString('base64');

/** The same for every attempt at a message, so that a receiver recognises repetitions. */
export const newMessageId = (): string => `msg_${randomBytes(16).toString('hex')}`;

/** The three headers of an attempt at `seconds` since 1970, with a signature for each current secret. */
export const signedHeaders = (
  secrets: readonly string[],
  id: string,
  seconds: number,
  body: string,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> => {
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  };
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map(sign).join(' '),
  };
};

// Sending

/** The outcome of one attempt: the response, or an error. */
export interface Sent {
  readonly status: number | undefined;
  /** Headers of the response, shortened. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly body: string | undefined;
  /** Milliseconds. */
  readonly duration: number;
  /** Undefined where the response arrived in time. */
  readonly error: string | undefined;
}

export interface SendOptions {
  /** True if private addresses and http are allowed. */
  readonly allowPrivate: boolean;
  /** Milliseconds for the whole attempt: name resolution, connection, request and response. */
  readonly timeout: number;
  /** As `dns.lookup` with `all`; replaced by tests. */
  readonly resolve?: typeof resolveAll;
  /** Certificates that are trusted beside those of Node; for tests. */
  readonly ca?: string;
}

export type SendMessage = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
) => Promise<Sent>;

/** Limits: bytes of a response's body that are read, and characters of its headers that are stored. */
const maxBody = 8_192;
const maxHeaders = 4_096;

/** Milliseconds for which an unused connection is kept open. */
const idleMs = 4_000;

class PrivateAddressError extends Error {}

/**
 * The message does not say whether there is an address: that would reveal to makers of webhooks which internal names
 * exist, and how they resolve.
 */
const refusedAddress = (): Error =>
  new PrivateAddressError(
    'the host has no address, or one that is not public: WEBHOOK_PRIVATE=1 would allow it',
  );

const isUnknownHost = (error: Error | null): boolean =>
  error !== null && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');

const resolveAll = (
  hostname: string,
  options: LookupOptions,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
): void => lookup(hostname, { ...options, all: true }, done);

/**
 * Resolves a host, and permits a connection only if all of its addresses are public. The connection uses the
 * addresses that were checked: the name is not resolved again.
 */
const guardedLookup =
  (resolve: typeof resolveAll): LookupFunction =>
  (hostname, options, done) => {
    resolve(hostname, options, (error, addresses) => {
      const [first] = addresses ?? [];
      const isPublic = first !== undefined && addresses.every(({ address }) => isPublicAddress(address));
      if (error !== null || !isPublic) {
        done(error === null || isUnknownHost(error) ? refusedAddress() : error, []);
        return;
      }
      if (options.all === true) done(null, [...addresses]);
      else done(null, first.address, first.family);
    });
  };

const keptHeaders = ({ headers }: IncomingMessage): Record<string, string> => {
  const kept: Record<string, string> = {};
  let left = maxHeaders;
  for (const [name, value] of Object.entries(headers)) {
    const text = (Array.isArray(value) ? value.join(', ') : (value ?? '')).slice(0, left);
    left -= name.length + text.length;
    if (left < 0) break;
    kept[name] = text;
  }
  return kept;
};

/** The body as a text that every database accepts. */
const textOf = (chunks: readonly Buffer[]): string =>
  Buffer.concat(chunks).subarray(0, maxBody).toString().replaceAll('\0', '\uFFFD');

/** Reads the part of a response that is stored; the rest is not read, and the connection is closed. */
const readBody = (answer: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= maxBody) return;
      resolve(textOf(chunks));
      answer.destroy();
    });
    answer.once('end', () => resolve(textOf(chunks)));
    answer.on('error', reject);
    answer.once('close', () => reject(new Error('the answer was cut off')));
  });

const answered = (request: ClientRequest, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    request.once('close', () => reject(new Error('the connection was closed without an answer')));
    request.end(body);
  });

const errorText = (error: unknown): string => {
  // The error of several addresses is an AggregateError, whose own message is empty.
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const message = errorMessage(first);
  return message.replaceAll('\0', '').toWellFormed().slice(0, 500).toWellFormed();
};

/** Agents and settings of the requests of a process. */
class Sender {
  readonly #options: SendOptions;
  readonly #lookups: { readonly lookup?: LookupFunction };
  readonly #trust: { readonly rejectUnauthorized: true; readonly ca?: string };
  readonly #agentOptions = { keepAlive: true, maxFreeSockets: 10, timeout: idleMs };
  readonly #plain = new http.Agent(this.#agentOptions);
  #secure: Agent | undefined;

  constructor(options: SendOptions) {
    const { allowPrivate, resolve = resolveAll, ca } = options;
    this.#options = options;
    this.#lookups = allowPrivate ? {} : { lookup: guardedLookup(resolve) };
    this.#trust = ca === undefined ? { rejectUnauthorized: true } : { rejectUnauthorized: true, ca };
  }

  readonly send: SendMessage = async (url, headers, body, signal) => {
    const begun = performance.now();
    const { timeout } = this.#options;
    const over = new AbortController();
    const timer = setTimeout(
      () => over.abort(new Error(`no answer within ${timeout / 1000} s`)),
      timeout,
    ).unref();
    const sent = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      // The body is stored as it arrives: nothing here decodes one.
      'accept-encoding': 'identity',
      'user-agent': 'Gatewright',
      ...headers,
    };
    try {
      const result = await this.#attempt(url, sent, body, AbortSignal.any([signal, over.signal]));
      return { ...result, duration: Math.round(performance.now() - begun) };
    } finally {
      clearTimeout(timer);
    }
  };

  async #attempt(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<Omit<Sent, 'duration'>> {
    let answer: IncomingMessage | undefined;
    try {
      // Private addresses may have been allowed when the URL was stored.
      if (!isWebhookUrl(url, this.#options.allowPrivate)) throw refusedAddress();
      answer = await this.#sendOrReconnect(new URL(url), headers, body, signal);
      const text = await readBody(answer);
      return { status: answer.statusCode, headers: keptHeaders(answer), body: text, error: undefined };
    } catch (error) {
      const text = signal.aborted ? errorText(signal.reason) : errorText(error);
      return {
        status: answer?.statusCode,
        headers: answer && keptHeaders(answer),
        body: undefined,
        error: text,
      };
    }
  }

  /** Repeats a request once on a new connection if a kept one turns out to be closed, which cannot be known before. */
  async #sendOrReconnect(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const open = await this.#openerOf(url);
    for (;;) {
      const request = open({ method: 'POST', headers, signal, ...this.#lookups });
      try {
        return await answered(request, body);
      } catch (error) {
        if (!request.reusedSocket || signal.aborted) throw error;
      }
    }
  }

  /** TLS takes 9 MB of memory: it is loaded with the first message over https. */
  async #openerOf(url: URL): Promise<(options: RequestOptions) => ClientRequest> {
    if (url.protocol === 'http:') return (options) => http.request(url, { ...options, agent: this.#plain });
    const https = await import('node:https');
    this.#secure ??= new https.Agent({ ...this.#agentOptions, ...this.#trust });
    const agent = this.#secure;
    return (options) => https.request(url, { ...options, ...this.#trust, agent });
  }
}

/**
 * Sends a body by POST and returns the outcome; never rejects. Follows no redirect, uses no proxy, and verifies
 * certificates whatever the environment says. A connection is kept for some seconds, for the next message to the same
 * host: its address was checked when it was opened.
 */
export const createSend = (options: SendOptions): SendMessage => new Sender(options).send;

// The body of a message

export interface MessageParts {
  readonly events: EventLog;
  readonly models: Models;
  readonly resources: ReadonlyMap<string, ServedResource>;
  readonly identities: Pick<IdentityStore, 'byUserId'>;
  /** Rules by which the acting user reads records: those of the API. */
  readonly area: AreaRules;
}

/**
 * The reason why nothing is sent, stored as `error` of a delivery: the event or its model no longer exists, the
 * acting user is disabled, or may not read or does not manage the record, which may have been deleted.
 */
type SkipReason = 'event_gone' | 'model_gone' | 'user_disabled' | 'record_unreadable';

/** The body of an event's message, or the reason why nothing is sent. */
export type Message = { readonly body: string } | { readonly skipped: SkipReason };

/** Methods that authenticate users. The record is included if one of them lets the user read its detail endpoint. */
const userMethods = ['jwt', 'api_key'] as const;

/** The rights by which the events of a webhook are seen. */
export interface MessageReader {
  /** The acting user. */
  readonly userId: number;
  /** True if only events about records that the user manages are seen. */
  readonly managed: boolean;
}

/** An acting user's access to the records of a model. */
interface RecordAccess {
  readonly reader: ActorReader;
  readonly grant: Grant | undefined;
  /** The same for events. */
  readonly access: Related;
}

/** Makes the messages of webhooks from the current state: the roles and grants of an acting user are read for each. */
export const createMessages = ({ events, models, resources, identities, area }: MessageParts) => {
  // A reason may name a record of any model.
  const grantsOn = [
    ...new Set([...models.values()].flatMap((model) => grantsOfRelated(model, models, area))),
  ];

  const accessTo = (model: ResourceModel, identity: Identity, managed: boolean): RecordAccess => {
    const auth = methodsNamed(model.auth.detail);
    const method = userMethods.find((each) => takes(auth, { ...identity, method: each })) ?? 'jwt';
    const principal = { ...identity, method };
    const related = relatedFor({ models }, { area, principal });
    const reader = { principal, related };
    if (!managed) return { reader, grant: related(model.name)?.grant, access: related };
    const grant = grantOfManaged(model, area, principal);
    return { reader, grant, access: () => grant && { grant, listed: grant.readable } };
  };

  return {
    /**
     * Returns the events for which a webhook gets deliveries: all of these, or only events about records that the
     * acting user manages now, so that a delivery reveals no other record to the user who sees it.
     */
    delivered: async (
      found: readonly RecordedEvent[],
      { userId, managed }: MessageReader,
    ): Promise<readonly RecordedEvent[]> => {
      if (!managed || found.length === 0) return found;
      const identity = await identities.byUserId(userId, grantsOn);
      if (identity === undefined) return [];
      const seen = new Set<number>();
      for (const [name, of] of Map.groupBy(found, ({ model }) => model)) {
        const resource = resources.get(name);
        if (resource === undefined) continue;
        const { access } = accessTo(resource.model, identity, managed);
        for (const { number } of await visibleEvents(resources, access, of)) seen.add(number);
      }
      return found.filter(({ number }) => seen.has(number));
    },

    /**
     * The message of an event: the record as the detail endpoint would return it to the acting user. For a deleted
     * record it contains the id.
     * @param read the event, if it has just been read
     */
    messageOf: async (
      number: number,
      { userId, managed }: MessageReader,
      read?: RecordedEvent,
    ): Promise<Message> => {
      const event = read ?? (await events.after(number - 1, 1))[0];
      if (event?.number !== number) return { skipped: 'event_gone' };
      const resource = resources.get(event.model);
      if (resource === undefined) return { skipped: 'model_gone' };
      const identity = await identities.byUserId(userId, grantsOn);
      if (identity === undefined) return { skipped: 'user_disabled' };
      const { reader, grant, access } = accessTo(resource.model, identity, managed);
      const [view] = await viewEvents(resources, reader, [event], access);
      if (view === undefined || grant === undefined) return { skipped: 'record_unreadable' };
      const record =
        event.action === 'destroy' ? { json: 'null' } : await resource.show(grant, event.record, []);
      if (record === undefined) return { skipped: 'record_unreadable' };
      const { at, ...data } = view;
      const head = JSON.stringify({ type: `${event.model}.${event.action}`, timestamp: at });
      // The record is the exact text of the detail endpoint.
      const body = `${head.slice(0, -1)},"data":${JSON.stringify(data).slice(0, -1)},"record":${record.json}}}`;
      return { body };
    },
  };
};

export type Messages = ReturnType<typeof createMessages>;
