import type { Tokens } from '../auth/jwt.ts';
import type { AuthenticateAccount } from '../auth/login.ts';
import type { LoginThrottle } from '../auth/login-throttle.ts';
import type { Passkeys } from '../auth/passkeys.ts';
import type { Passwords } from '../auth/password.ts';
import type { IdentityStore } from '../auth/ports.ts';
import type { SecretBox } from '../auth/secret-box.ts';
import type { SessionCookies } from '../auth/session.ts';
import type { Database } from '../database/database.ts';
import type { Changes } from '../events/changes.ts';
import type { EventSignal } from '../events/signal.ts';
import type { Limiter } from '../http/limiter.ts';
import type { Routes } from '../http/routes.ts';
import type { ApplicationCode } from '../kernel/application-code.ts';
import type { Clock } from '../kernel/clock.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Catalogue, Locale } from '../kernel/messages/catalogue.ts';
import type { Languages } from '../kernel/messages/languages.ts';
import type { Stopping } from '../kernel/stopping.ts';
import type { RegistrationOptions } from '../mail/options.ts';
import type { Scope } from '../model/scope.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import type { Acting, CodeLimit } from '../operations/transaction.ts';
import type { KeyCalls } from '../service/api-keys/key-calls.ts';
import type { KeyUsage } from '../service/api-keys/key-usage.ts';
import type { KeyUses } from '../service/api-keys/key-uses.ts';
import type { Nonces } from '../service/applications/nonces.ts';
import type { createAttention } from '../service/attention/attention.ts';
import type { SecurityEventStore } from '../service/audit/security-events.ts';
import type { EventLog } from '../service/events/event-log.ts';
import type { Idempotency } from '../service/idempotency/idempotency.ts';
import type { ImportStore } from '../service/imports/imports.ts';
import type { InvitationStore } from '../service/invitations/invitations.ts';
import type { JobWorkers } from '../service/jobs/commands.ts';
import type { Buckets } from '../service/limits/buckets.ts';
import type { MailQueue } from '../service/mail/mail-queue.ts';
import type { NotifyUser } from '../service/mail/user-notices.ts';
import type { PaymentStore } from '../service/payments/payments.ts';
import type { RefusalStore } from '../service/refusals/refusals.ts';
import type { PermissionEntry } from '../service/roles/entity.ts';
import type { RoleStore } from '../service/roles/roles.ts';
import type { FactorSetups } from '../service/second-factors/factor-setups.ts';
import type { SecondFactorStore } from '../service/second-factors/second-factors.ts';
import type { SignInTickets } from '../service/second-factors/sign-in-tickets.ts';
import type { SessionStore } from '../service/sessions/sessions.ts';
import type { RequestCounts } from '../service/usage/counters.ts';
import type { RouteTimesStore } from '../service/usage/route-times.ts';
import type { AccountLinks } from '../service/users/account-links.ts';
import type { CallerStore } from '../service/users/callers.ts';
import type { LinkedAccounts } from '../service/users/linked-accounts.ts';
import type { SeenCredentialsStore } from '../service/users/seen-credentials.ts';
import type { TokenStore } from '../service/users/tokens.ts';
import type { UserStore } from '../service/users/users.ts';
import type { Vault } from '../vault/vault.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { SignInProvider } from './auth/oidc/client.ts';

/**
 * Hook of payments, called with a scope that acts for the application that signed. It is awaited before the payment
 * is stored; an error that it throws refuses the payment.
 */
export type PaymentHook = (
  payment: {
    readonly appId: string;
    readonly body: JsonObject;
    /** Stable for the same signed request: what makes a repeated call recognisable. */
    readonly fingerprint: string;
  },
  scope: Scope,
) => void | Promise<void>;

/** Applications of the encrypted credentials. */
export interface Applications
  extends Pick<Vault, 'applications' | 'file' | 'publicKeysOf' | 'secretsOf' | 'update'> {
  onChange(listener: () => void): () => void;
}

/** The version and the settings of this process, without secrets. */
export interface About {
  readonly version: string;
  readonly settings: readonly {
    readonly name: string;
    readonly value: string | number | boolean | null;
    readonly secret: boolean;
  }[];
}

/** Everything that endpoints work with; `compose.ts` makes it once. */
export interface Services {
  readonly languages: Languages;
  /** Language of texts that no request reads: the first one. */
  readonly locale: Locale;
  readonly catalogue: Catalogue;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly about: About;
  readonly database: Database;
  /** Resolves where a write would be taken. @throws Problem `database_unavailable` */
  readonly ready: () => Promise<void>;
  readonly tokens: Tokens;
  readonly cookies: SessionCookies;
  readonly passwords: Passwords;
  readonly login: AuthenticateAccount;
  /** By id and by key. A look-up of a session counts as its use, so only its method of authentication does it. */
  readonly identities: Omit<IdentityStore, 'bySession'>;
  readonly users: UserStore;
  /** Where the router takes a request. */
  readonly routes: Routes;
  readonly roles: RoleStore;
  readonly sessions: SessionStore;
  readonly invitations: InvitationStore;
  /** Messages to be sent, and the links of users; undefined where the application sends no mail. */
  readonly mail: MailQueue | undefined;
  readonly notifyUser: NotifyUser;
  readonly accountLinks: AccountLinks | undefined;
  readonly linkedAccounts: LinkedAccounts;
  /** Providers of identities by name. */
  readonly providers: ReadonlyMap<string, SignInProvider>;
  /** Seals the secrets of sign-ins that are at a provider. */
  readonly providerSecrets: SecretBox;
  /** Undefined where users cannot register themselves. */
  readonly registration: RegistrationOptions | undefined;
  /** Second factors, those that are being set up, and sign-ins that wait for one. */
  readonly secondFactors: SecondFactorStore;
  readonly factorSetups: FactorSetups;
  readonly signInTickets: SignInTickets;
  /** Expiries and revocations of the tokens of users; `tokens` signs them. */
  readonly userTokens: TokenStore;
  readonly nonces: Nonces;
  readonly buckets: Buckets;
  /** Counts requests by their limits; levels for explanations. */
  readonly limiter: Limiter;
  /** Seals the secrets of authenticator applications. */
  readonly totpSecrets: SecretBox;
  readonly passkeys: Passkeys;
  /** Every administrator has to have a second factor. */
  readonly secondFactorRequired: boolean;
  /** Counts failed attempts to get in, whatever is tried. */
  readonly throttle: LoginThrottle;
  readonly payments: PaymentStore;
  readonly idempotency: Idempotency;
  readonly requestCounts: RequestCounts;
  readonly keyUsage: KeyUsage;
  readonly keyCalls: KeyCalls;
  readonly keyUses: KeyUses;
  readonly attention: ReturnType<typeof createAttention>;
  readonly routeTimes: RouteTimesStore;
  readonly refusals: RefusalStore;
  /** Places of files that `gatewright import` has reached. */
  readonly imports: ImportStore;
  readonly securityEvents: SecurityEventStore;
  readonly applications: Applications;
  /** Every model with its operations, by model name. */
  readonly resources: ReadonlyMap<string, ServedResource>;
  readonly permissionEntries: readonly PermissionEntry[];
  /** Users and keys that an administrator asks about. */
  readonly callers: CallerStore;
  readonly seenCredentials: SeenCredentialsStore;
  /** Every scope that an API key can have. */
  readonly keyScopes: ReadonlySet<string>;
  /** Whether there is an endpoint of payments. */
  readonly takesPayments: boolean;
  readonly onPayment: PaymentHook | undefined;
  /** Makes the scopes by which code of the application reaches its data. */
  readonly scopeOf: (acting: Acting) => Scope;
  /** A scope of the application itself, for work without a caller. */
  readonly systemScope: (reason: string, limit?: CodeLimit) => Scope<'all'>;
  /** Runs what the application brings along. */
  readonly code: ApplicationCode;
  readonly stopping: Stopping;
  readonly jobs: JobWorkers;
  /** Names of the application's jobs. */
  readonly jobNames: readonly string[];
  /** The log of events, and the signal of a new one. */
  readonly events: EventLog;
  readonly eventSignal: EventSignal;
  readonly webhooks: Webhooks;
  /** The streams by which callers receive events. */
  readonly changes: Changes;
}
