// Forms. Each form contains a token that proves its origin, and an id that ensures that it acts only once. A
// refused form keeps the values that the user typed.
import { randomUUID } from 'node:crypto'
import type { Message } from '../../../../shared/messages/message.ts'
import { type Content, formatAttributes, type Html, html } from '../../../html/html.ts'
import { formatMessage, t } from '../../locales/translate.ts'
import { createCsrfToken } from '../../sessions/csrf.ts'
import type { Call, PageView, RefusedForm } from '../page/page.ts'
import { Fields } from './fields.ts'
import { describeDifference, OriginalValues, readOriginalValues } from './originals.ts'
import { showLinkOrText } from './parts.ts'
import { showNotice } from './states.ts'

export type FormOptions = {
  /** The name of the form's action. */
  action: string
  /** The address of the page that has the action; by default this page. */
  address?: string | undefined
  /** The label of the button. Without a label, the buttons are elsewhere on the page and have the form's `id`
   * as their `form` attribute. */
  submit?: Html | string | undefined
  id?: string
  /** Distinguishes the form from other forms with the same action on the page. */
  key?: string | number
  /** Hidden fields. A list becomes several fields of the same name. */
  hidden?: Record<string, string | number | readonly string[]>
  /** The initial values of the fields, by name. */
  values?: object | undefined
  /** The version of the resource with which the form is filled. If there is a newer version when the form is
   * sent, the differences are shown before saving. */
  version?: string
  tone?: 'primary' | 'danger' | 'quiet'
  /** The address of the link that cancels. */
  cancel?: string
  /** The label of the link that cancels, if “Cancel” could be mistaken for the form's action. */
  cancelLabel?: string
  hasFile?: boolean
  /** Whether the form is on one line: a single button, or a short field with a button. */
  isInline?: boolean
  /** The button's label for screen readers, if its text alone is not enough. */
  submitLabel?: string
  /** Further buttons. They follow the main button, because the Enter key presses the first button of a form. */
  more?: Content
}

/** Shows a form for one of the page's actions. The form posts to its own page. */
export function form(call: Call, options: FormOptions, content: (fields: Fields) => Content = () => null) {
  const { action, submit, isInline, hasFile, id } = options
  const key = String(options.key ?? '')
  const refused =
    call.refusedForm?.action === action && call.refusedForm.key === key ? call.refusedForm : undefined
  if (refused && call.mayWrite) refused.isShown = true
  const isOutdated = refused?.code === 'changed_meanwhile' && options.version !== undefined
  const originals = new OriginalValues(
    isOutdated ? readOriginalValues(refused.values['_filled']?.[0]) : undefined,
  )
  const { values } = options
  const fields = new Fields(`${action}${key}`, { refused, originals, schema: call.formOf(action), values })
  const inside = content(fields)
  // Viewers who may not use the page's actions see the values, but no button.
  if (!call.mayWrite)
    return fields.labels.size === 0 ? html`` : html`<fieldset class="form" disabled>${inside}</fieldset>`
  // A form that was refused for another reason is still compared with its original values.
  const filled =
    refused && !isOutdated
      ? { _version: refused.values['_version']?.[0] ?? '', _filled: refused.values['_filled']?.[0] ?? '' }
      : { _version: options.version ?? '', _filled: originals.text }
  const own = {
    _csrf: createCsrfToken(call.viewer),
    _action: action,
    _key: key,
    _submission: refused?.submissionId ?? randomUUID(),
  }
  const more = formatAttributes({
    id,
    class: isInline ? 'form inline' : 'form',
    enctype: hasFile ? 'multipart/form-data' : undefined,
  })
  // The form has `novalidate`, because the server reports errors in the same words as the API, and because
  // the browser's own messages disappear too soon.
  return html`<form method="post" action="${options.address ?? call.linkHere()}"${more} novalidate>
${showHiddenInputs(Object.entries({ ...own, ...(options.version === undefined ? {} : filled), ...options.hidden }))}
${refused && !refused.isExplained && (isOutdated ? showChanges(refused, originals) : showProblems(refused.detail, fields))}
${inside}
${submit !== undefined && showButtons(options)}
</form>`
}

const showButtons = ({
  submit,
  tone = 'primary',
  cancel,
  cancelLabel = t`Cancel`,
  submitLabel,
  more,
}: FormOptions) =>
  html`<div class="buttons">
<button class="button ${tone}"${formatAttributes({ 'aria-label': submitLabel })}>${submit}</button>
${more}${cancel !== undefined && showLinkOrText(cancel, cancelLabel, { class: 'button quiet' })}
</div>`

/**
 * Shows a form that changes nothing: its fields become the query of this page's address, and the list starts at page 1
 * again.
 */
export function showSearchForm(call: Call, submit: string, content: (fields: Fields) => Content): Html {
  const [path = '', search = ''] = call.linkHere({ page: null }).split('?')
  const refused = call.refusedQuery
  const values = call.query as object
  const fields = new Fields('search', { refused: refused && { ...refused, isSearch: true }, values })
  const inside = content(fields)
  refused?.noteShown(fields.labels)
  const others = [...new URLSearchParams(search)].filter(([name]) => !fields.labels.has(name))
  return html`<form method="get" action="${path}" class="form inline" role="search">
${showHiddenInputs(others)}
${refused && showNotice('bad', t`Correct the marked fields. Until then, this list ignores those filters.`)}
${inside}
<div class="buttons"><button class="button quiet">${submit}</button></div>
</form>`
}

/** Shows the search of a list in one row. On a phone, the search is behind a button that says how many of its
 * fields are set. `beside` contains links to common searches. */
export function showFilterBar(
  call: Call,
  content: (fields: Fields) => Content,
  beside?: Content,
  submit = t`Search`,
): Html {
  const sent = new URLSearchParams(call.linkHere().split('?')[1])
  let set = 0
  const form = showSearchForm(call, submit, (fields) => {
    const inside = content(fields)
    set = [...fields.labels.keys()].filter((name) => sent.get(name)).length
    return inside
  })
  const label = set > 0 ? t`Filter (${set})` : t`Filter`
  return html`<div class="filters"><details${formatAttributes({ open: call.refusedQuery !== undefined })}><summary class="button quiet">${label}</summary></details>
${form}${beside}</div>`
}

/** Shows a form as a card, which may be the only card of the page or one of several. */
export function showFormCard(
  call: Call,
  options: FormOptions,
  content?: (fields: Fields) => Content,
  intro?: Content,
): Html {
  return html`<div class="card narrow">${intro}${form(call, options, content)}</div>`
}

type ConfirmationOptions = FormOptions & {
  question: string
  consequence: Content
  details?: Content
  fields?: ((fields: Fields) => Content) | undefined
}

/** Shows a page that asks for confirmation before something irreversible. */
export function showConfirmation(
  call: Call,
  { question, consequence, details, fields, ...options }: ConfirmationOptions,
): PageView {
  const danger = { tone: 'danger', cancelLabel: t`Keep it`, ...options } as const
  return {
    title: question,
    content: showFormCard(call, danger, fields, html`<p>${consequence}</p>${details}`),
  }
}

// Shows hidden fields. Several values may share a name.
function showHiddenInputs(values: Array<[name: string, value: string | number | readonly string[]]>): Html[] {
  return values.flatMap(([name, value]) =>
    [value].flat().map((each) => html`<input type="hidden" name="${name}" value="${each}">`),
  )
}

// Shows what another user has changed. Sending the form again saves it, because the user has now seen what it replaces.
function showChanges({ detail }: RefusedForm, { differences }: OriginalValues): Html {
  const sentences = differences.map((each) => t`Changed in the meantime: ${describeDifference(each)}`)
  return showAlert([
    `${formatMessage(detail)} ${t`Check the form, then save again to keep your changes.`}`,
    ...sentences,
  ])
}

// Shows errors that do not belong to any of the fields.
function showProblems(detail: Message, { errors, labels: shown }: Fields): Html {
  const elsewhere = Object.entries(errors).flatMap(([path, sentences]) =>
    shown.has(path.split('.')[0] ?? '') ? [] : sentences,
  )
  const listed = Object.keys(errors).length === 0 ? [detail] : elsewhere
  const sentences = listed.map((each) => formatMessage(each, shown))
  return showAlert(sentences.length > 0 ? sentences : [t`Not saved. Please fix the marked fields.`])
}

const showAlert = ([first, ...others]: string[]) =>
  showNotice(
    'bad',
    first,
    others.map((each) => html`<p>${each}</p>`),
    { tabindex: -1, autofocus: true },
  )
