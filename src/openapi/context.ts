import type { JsonSchema } from '../fields/field.ts';
import type { Catalogue, Locale } from '../kernel/messages/catalogue.ts';
import type { Models } from '../model/models.ts';
import type { ResourceRule } from '../policy/rule.ts';
import type { DescriptionArea } from './area.ts';
import type { Components } from './components.ts';

/** What the description is made for. */
export interface DescriptionOptions {
  /** Language of the description's own texts. */
  readonly locale: Locale;
  /** Texts that the service answers: the examples of messages. */
  readonly messages: Catalogue;
  /** What row rules name. */
  readonly models: Models;
  /** Schema of a user as a relation answers it, in the API and to administrators. */
  readonly users: Readonly<Record<ResourceRule['area'], JsonSchema>>;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Version of the software. */
  readonly version: string;
  /** Bytes of a request body. */
  readonly bodyLimit: number;
  /** Whether answers say where their commit is over, for reads of a replica. */
  readonly positions?: boolean;
  /** What of the service is described. */
  readonly area: DescriptionArea;
}

/** The same with the parts that operations share. */
export interface Context extends DescriptionOptions {
  readonly components: Components;
}
