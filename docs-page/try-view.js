import { credentials, isHeld } from './credentials.js';
import { fill, h, labelled } from './dom.js';
import { fillOwn } from './own-records.js';
import { fileOption, filtersOf, newForm, plainParameters } from './request.js';
import { samples } from './samples-view.js';
import { sender } from './send.js';

/**
 * @typedef {import('./description.js').Operation} Operation
 * @typedef {import('./request.js').Form} Form
 * @typedef {import('./texts.js').Texts} Texts
 * @typedef {{ operation: Operation, resolve: (part: any) => any, ways: import('./ways.js').Ways, t: Texts, form: Form, scopes: import('./key-scopes.js').KeyScopes, changed: () => void, openSignIn: () => void }} Context
 */

/** Forms by operation: what was filled in is still there after a look at another one. @type {Map<string, Form>} */
const forms = new Map();

/** @param {Context} context */
const parameterFields = ({ operation, form, changed, t }) =>
  plainParameters(operation).map(({ name, required, schema }) => {
    const set = (/** @type {Event & { target: { value: string } }} */ event) => {
      form.values[name] = event.target.value;
      changed();
    };
    const value = form.values[name] ?? '';
    const control = Array.isArray(schema['enum'])
      ? h('select', { oninput: set }, [
          h('option', { value: '' }, t.notSet),
          schema['enum'].map((choice) => h('option', { value: choice, selected: choice === value }, choice)),
        ])
      : h('input', { value, oninput: set, autocomplete: 'off', spellcheck: 'false', required });
    return labelled(required ? `${name} *` : name, control);
  });

/** @param {Context} context @param {() => void} redraw @param {import('./request.js').Filter} filter */
const filterRow = ({ operation, resolve, form, changed, t }, redraw, filter) => {
  const fields = filtersOf(operation, resolve);
  const operators = fields.get(filter.field)?.operators ?? [];
  const names = /** @type {Record<string, string>} */ (t.operators);
  /** @param {string} label @param {string[]} options @param {string} chosen @param {(value: string) => void} choose @param {(name: string) => string} [text] */
  const select = (label, options, chosen, choose, text = (name) => name) =>
    h(
      'select',
      { 'aria-label': label, oninput: (/** @type {any} */ event) => choose(event.target.value) },
      options.map((name) => h('option', { value: name, selected: name === chosen }, text(name))),
    );
  return h(
    'div',
    { class: 'filter' },
    select(t.field, [...fields.keys()], filter.field, (field) => {
      filter.field = field;
      filter.operator = fields.get(field)?.operators[0] ?? 'eq';
      redraw();
      changed();
    }),
    select(
      t.operator,
      operators,
      filter.operator,
      (operator) => {
        filter.operator = operator;
        if (operator === 'null') filter.value = 'true';
        redraw();
        changed();
      },
      (name) => names[name] ?? name,
    ),
    filter.operator === 'null'
      ? select(t.value, ['true', 'false'], filter.value, (value) => {
          filter.value = value;
          changed();
        })
      : h('input', {
          'aria-label': t.value,
          value: filter.value,
          oninput: (/** @type {any} */ event) => {
            filter.value = event.target.value;
            changed();
          },
        }),
    h(
      'button',
      {
        type: 'button',
        class: 'small',
        'aria-label': t.remove,
        onclick: () => {
          form.filters.splice(form.filters.indexOf(filter), 1);
          redraw();
          changed();
        },
      },
      '×',
    ),
  );
};

/** @param {Context} context */
const filterFields = (context) => {
  const { operation, resolve, form, t } = context;
  const first = [...filtersOf(operation, resolve)][0];
  if (first === undefined) return null;
  const list = h('div', {});
  const redraw = () =>
    fill(
      list,
      form.filters.map((filter) => filterRow(context, redraw, filter)),
    );
  redraw();
  const add = () => {
    form.filters.push({ field: first[0], operator: first[1].operators[0] ?? 'eq', value: '' });
    redraw();
  };
  return h(
    'fieldset',
    {},
    h('legend', {}, t.filters),
    list,
    h('button', { type: 'button', class: 'small', onclick: add }, t.addFilter),
  );
};

/** @param {Context} context */
const bodyField = ({ operation, resolve, ways, form, changed, t }) => {
  if (operation.body === undefined) return null;
  const area = h('textarea', {
    rows: String(Math.min(16, Math.max(4, form.body.split('\n').length + 1))),
    spellcheck: 'false',
    autocomplete: 'off',
    oninput: (/** @type {any} */ event) => {
      form.body = event.target.value;
      changed();
    },
  });
  area.value = form.body;
  const reset = () => {
    form.body = form.own?.body ?? newForm(operation, resolve, ways).body;
    area.value = form.body;
    changed();
  };
  const option = fileOption(operation);
  return [
    labelled(t.body, area),
    option === undefined ? null : h('p', { class: 'hint' }, `${t.fileByCurl} `, h('code', {}, option)),
    h('p', {}, h('button', { type: 'button', class: 'small', onclick: reset }, t.reset)),
  ];
};

/** Whose credentials are sent: a sentence, or a choice where there are several. @param {import('./ways.js').Way} way @param {Texts} t */
const senderField = ({ slot = '', heldText }, t) => {
  const all = credentials.all(slot);
  const [only] = all;
  if (only === undefined) return null;
  if (all.length === 1) {
    const words = only.account === undefined ? heldText?.(only) : t.sentAs.replace('{name}', only.account);
    return words === undefined ? null : h('p', { class: 'hint sender' }, words);
  }
  const select = h(
    'select',
    {
      oninput: (/** @type {any} */ event) => {
        const one = all[Number(event.target.value)];
        if (one !== undefined) credentials.use(slot, one);
      },
    },
    all.map((one, index) =>
      h(
        'option',
        { value: String(index), selected: one === credentials.get(slot) },
        one.account ?? heldText?.(one) ?? slot,
      ),
    ),
  );
  return labelled(t.sendAs, select);
};

/** @param {Context} context @param {() => void} redraw */
const methodField = ({ operation, form, ways, t, scopes, openSignIn }, redraw) => {
  const { methods } = operation.access;
  if (methods.length === 0) return h('p', { class: 'dim' }, t.authentication + t.colon + t.noAuthentication);
  const select = h(
    'select',
    {
      oninput: (/** @type {any} */ event) => {
        form.method = event.target.value;
        redraw();
      },
    },
    methods.map((name) =>
      h('option', { value: name, selected: name === form.method }, ways.get(name)?.label ?? name),
    ),
  );
  const way = ways.get(form.method ?? '');
  const outOfScope = scopes.lacking(operation, form.method);
  const lacking = way?.form === undefined && !isHeld(way);
  return [
    labelled(t.authentication, select),
    way !== undefined && senderField(way, t),
    outOfScope !== undefined && h('p', { class: 'notice' }, t.outOfScope.replace('{scope}', outOfScope)),
    lacking &&
      h(
        'p',
        { class: 'notice' },
        `${t.missingCredentials} `,
        h('button', { type: 'button', class: 'small', onclick: openSignIn }, t.openSignIn),
      ),
  ];
};

/**
 * The form of an operation, its response and the code samples.
 * @param {{ operation: Operation, known: import('./own-records.js').Known, t: Texts, scopes: import('./key-scopes.js').KeyScopes, openSignIn: () => void }} options
 */
export const tryView = ({ operation, known, t, scopes, openSignIn }) => {
  const { resolve, ways } = known;
  const form = forms.get(operation.id) ?? newForm(operation, resolve, ways);
  forms.set(operation.id, form);
  const held = operation.access.methods.find((name) => isHeld(ways.get(name)));
  if (held !== undefined && !isHeld(ways.get(form.method ?? ''))) form.method = held;
  const place = h('div', { class: 'try side' });
  const outcome = h('div', { class: 'result', 'aria-live': 'polite' });
  const send = sender(outcome);
  const sample = newForm(operation, resolve, ways).body;
  /** Ids of the reader's records arrive later; they wait for a reader who is filling in the form. */
  const takeOwn = async () => {
    const isChanged = await fillOwn(operation, form, sample, known);
    if (isChanged && !place.contains(document.activeElement)) redraw();
  };
  const redraw = () => {
    takeOwn();
    /** @type {{ update: () => void }[]} */
    const following = [];
    /** @type {Context} */
    const context = {
      operation,
      resolve,
      ways,
      t,
      form,
      scopes,
      openSignIn,
      changed: () => {
        for (const { update } of following) update();
      },
    };
    const sampled = samples(context);
    const signed = ways.get(form.method ?? '')?.form?.(context);
    following.push(sampled, ...(signed === undefined ? [] : [signed]));
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      send(context);
    };
    fill(
      place,
      sampled.element,
      h(
        'form',
        {
          onsubmit: submit,
          novalidate: true,
          autocomplete: 'off',
          class: 'card',
          'data-part': 'try',
          tabindex: '-1',
          'aria-label': t.tryIt,
        },
        h('h2', {}, t.tryIt),
        methodField(context, redraw),
        parameterFields(context),
        filterFields(context),
        bodyField(context),
        signed?.element,
        h('button', { type: 'submit', class: 'primary' }, t.send),
      ),
      outcome,
    );
  };
  redraw();
  return place;
};
