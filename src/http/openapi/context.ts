import type { JsonSchema } from '../../fields/field.ts';
import type { ApplicationName } from '../../kernel/application-name.ts';
import type { Catalogue, Locale } from '../../kernel/messages.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceRule } from '../../policy/rule.ts';
import type { Components } from './components.ts';
import type { DescriptionArea } from './description-area.ts';

/** Options of a description. */
/** Limits of one write, for the examples of its refusals. */
export interface WriteLimits {
  /** Records of a batch. */
  readonly batch: number;
  /** Records that a deletion takes along, and levels of references. */
  readonly cascade: { readonly records: number; readonly levels: number };
}

export interface DescriptionOptions {
  /** Language of the description's own texts. */
  readonly locale: Locale;
  /** Texts of responses, for the examples of messages. */
  readonly messages: Catalogue;
  /** Models that row rules refer to. */
  readonly models: Models;
  /** Schema of a user in a relation, in the API and for administrators. */
  readonly users: Readonly<Record<ResourceRule['area'], JsonSchema>>;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly application: ApplicationName;
  /** Version of the software. */
  readonly version: string;
  /** Maximum bytes of a request body. */
  readonly bodyLimit: number;
  readonly writeLimits: WriteLimits;
  /** True if responses contain the position of their commit, for reads of a replica. */
  readonly positions?: boolean;
  /** True if requests choose the language of their responses. */
  readonly negotiated?: boolean;
  /** The described part of the service. */
  readonly area: DescriptionArea;
}

/** The options, with the components that operations share. */
export interface Context extends DescriptionOptions {
  readonly components: Components;
}
