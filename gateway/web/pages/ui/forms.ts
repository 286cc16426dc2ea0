// Forms: each contains a token that proves its origin and an id that makes it act only once. If a form is
// refused, it keeps what was typed.
import { randomUUID } from 'node:crypto'
import { attributes, type Content, type Html, html } from '../../../html/html.ts'
import { formatMessage, t } from '../../locales/translate.ts'
import { csrfToken } from '../../sessions/csrf.ts'
import type { Call, RefusedForm, View } from '../page/page.ts'
import { Fields } from './fields.ts'
import { describeDifference, Originals, readOriginals } from './originals.ts'
import { showLinkOrText } from './parts.ts'
import { showNotice } from './states.ts'

export type FormOptions = {
  /** The name of the form's action. */
  action: string
  /** Without it, the buttons are elsewhere on the page, with the form's `id` as their `form`. */
  submit?: string | undefined
  id?: string
  /** Identifies the form if a page contains it several times. */
  key?: string | number
  hidden?: Record<string, string | number>
  /** What the fields are filled with, by their names. */
  values?: object | undefined
  /**
   * The version that the form is filled from. If there is a newer one when the form is sent, the differences
   * are shown before saving.
   */
  version?: string
  tone?: 'primary' | 'danger' | 'quiet'
  /** The address of the link that cancels. */
  cancel?: string
  /** The label of that link, if “Cancel” could be mistaken for the action. */
  cancelLabel?: string
  hasFile?: boolean
  /** On one line: a single button, or a short field. */
  isInline?: boolean
  /** The button's label for screen readers, if its text alone is not enough. */
  submitLabel?: string
}

/** A form that posts to its own page, for one of its actions. */
export function form(call: Call, options: FormOptions, content: (fields: Fields) => Content = () => null) {
  const { action, submit, isInline, hasFile, id } = options
  const key = String(options.key ?? '')
  const refused =
    call.refusedForm?.action === action && call.refusedForm.key === key ? call.refusedForm : undefined
  if (refused && call.mayWrite) refused.isShown = true
  const isOutdated = refused?.code === 'changed_meanwhile' && options.version !== undefined
  const originals = new Originals(isOutdated ? readOriginals(refused.values['_filled']?.[0]) : undefined)
  const { values } = options
  const fields = new Fields(`${action}${key}`, { refused, originals, schema: call.formOf(action), values })
  const inside = content(fields)
  // Viewers who may not act here see the values, but no button.
  if (!call.mayWrite)
    return fields.labels.size === 0 ? html`` : html`<fieldset class="form" disabled>${inside}</fieldset>`
  // A form that was refused for another reason is still compared with what it was originally filled with.
  const filled =
    refused && !isOutdated
      ? { _version: refused.values['_version']?.[0] ?? '', _filled: refused.values['_filled']?.[0] ?? '' }
      : { _version: options.version ?? '', _filled: originals.text }
  const own = {
    _csrf: csrfToken(call.viewer),
    _action: action,
    _key: key,
    _submission: refused?.submissionId ?? randomUUID(),
  }
  const more = attributes({
    id,
    class: isInline ? 'form inline' : 'form',
    enctype: hasFile ? 'multipart/form-data' : undefined,
  })
  // The server reports errors, in the same words as the API: the browser's own bubbles disappear too soon.
  return html`<form method="post" action="${call.linkHere()}"${more} novalidate>
${hidden(Object.entries({ ...own, ...(options.version === undefined ? {} : filled), ...options.hidden }))}
${refused && (isOutdated ? changes(refused, originals) : problems(refused, fields.labels))}
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
}: FormOptions) =>
  html`<div class="buttons">
<button class="button ${tone}"${attributes({ 'aria-label': submitLabel })}>${submit}</button>
${cancel !== undefined && showLinkOrText(cancel, cancelLabel, { class: 'button quiet' })}
</div>`

/**
 * A form that changes nothing: its fields become the query of this page's address, and the list starts at
 * page 1 again.
 */
export function searchForm(call: Call, submit: string, content: (fields: Fields) => Content): Html {
  const [path = '', search = ''] = call.linkHere({ page: null }).split('?')
  const refused = call.refusedQuery
  const values = call.query as object
  const fields = new Fields('search', { refused: refused && { ...refused, isSearch: true }, values })
  const inside = content(fields)
  refused?.noteShown(fields.labels)
  const others = [...new URLSearchParams(search)].filter(([name]) => !fields.labels.has(name))
  return html`<form method="get" action="${path}" class="form inline" role="search">
${hidden(others)}
${refused && showNotice('bad', t`Correct the marked fields: the list leaves them out until then.`)}
${inside}
<div class="buttons"><button class="button quiet">${submit}</button></div>
</form>`
}

/**
 * The search of a list, in one row. On a phone it is behind a button that says how many of its fields are set.
 * `beside`: links to common searches.
 */
export function filterBar(
  call: Call,
  content: (fields: Fields) => Content,
  beside?: Content,
  submit = t`Search`,
): Html {
  const sent = new URLSearchParams(call.linkHere().split('?')[1])
  let set = 0
  const form = searchForm(call, submit, (fields) => {
    const inside = content(fields)
    set = [...fields.labels.keys()].filter((name) => sent.get(name)).length
    return inside
  })
  const label = set > 0 ? t`Filter (${set})` : t`Filter`
  return html`<div class="filters"><details${attributes({ open: call.refusedQuery !== undefined })}><summary class="button quiet">${label}</summary></details>
${form}${beside}</div>`
}

/** A form that is the whole page, or one card among others. */
export function formCard(
  call: Call,
  options: FormOptions,
  content?: (fields: Fields) => Content,
  intro?: Content,
): Html {
  return html`<div class="card narrow">${intro}${form(call, options, content)}</div>`
}

type Confirmation = FormOptions & {
  question: string
  consequence: Content
  details?: Content
  fields?: ((fields: Fields) => Content) | undefined
}

/** The page that asks for confirmation before something irreversible. */
export function confirmation(
  call: Call,
  { question, consequence, details, fields, ...options }: Confirmation,
): View {
  const danger = { tone: 'danger', cancelLabel: t`Keep it`, ...options } as const
  return {
    title: question,
    content: formCard(call, danger, fields, html`<p>${consequence}</p>${details}`),
  }
}

// Several values may share a name.
function hidden(values: Array<[name: string, value: string | number]>): Html[] {
  return values.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}

// Sending the form again saves it, because the user has now seen what it replaces.
function changes({ detail }: RefusedForm, { differences }: Originals): Html {
  const sentences = differences.map((each) => t`Changed meanwhile: ${describeDifference(each)}`)
  return showAlert([
    `${formatMessage(detail)} ${t`Check the form, and save again to keep its values.`}`,
    ...sentences,
  ])
}

// Errors that belong to none of the fields.
function problems({ errors, detail }: RefusedForm, shown: ReadonlyMap<string, string>): Html {
  const elsewhere = Object.entries(errors).flatMap(([path, sentences]) =>
    shown.has(path.split('.')[0] ?? '') ? [] : sentences,
  )
  const told = Object.keys(errors).length === 0 ? [detail] : elsewhere
  const sentences = told.map((each) => formatMessage(each, shown))
  return showAlert(sentences.length > 0 ? sentences : [t`Not saved. Please fix the marked fields.`])
}

const showAlert = ([first, ...others]: string[]) =>
  showNotice(
    'bad',
    first,
    others.map((each) => html`<p>${each}</p>`),
    { tabindex: -1, autofocus: true },
  )
