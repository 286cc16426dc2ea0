// Forms: each carries what proves where it comes from and lets it act once; what was typed is kept when it is refused.
import { randomUUID } from 'node:crypto'
import { attributes, type Content, type Html, html } from '../../http/html.ts'
import type { Call, RefusedForm, View } from '../framework/page.ts'
import { csrfToken } from '../framework/sessions/csrf.ts'
import { formatMessage, t } from '../language/translate.ts'
import { Fields } from './fields.ts'
import { showLinkOrText } from './links.ts'
import { describeDifference, Originals, readOriginals } from './originals.ts'

export type FormOptions = {
  /** The name of the action that the form is for. */
  action: string
  submit: string
  /** Where a page has the form several times: which one this is. */
  key?: string | number
  hidden?: Record<string, string | number>
  /** The version that the form is filled from: when there is another one by now, the difference is told first. */
  version?: string
  tone?: 'primary' | 'danger' | 'quiet'
  /** The address to go to instead. */
  cancel?: string
  /** What leads there, where “Cancel” might be taken for doing it. */
  cancelLabel?: string
  hasFile?: boolean
  /** In one line: a single button, or a short field. */
  isInline?: boolean
  /** What readers of the screen hear of the button, where its text alone is not enough. */
  submitLabel?: string
}

/** A form that posts to its own page, for one of its actions. */
export function form(
  call: Call,
  options: FormOptions,
  content: (fields: Fields) => Content = () => null,
): Html {
  const { action, submit, tone = 'primary', cancel, cancelLabel = t`Cancel`, isInline, hasFile } = options
  const key = String(options.key ?? '')
  const refused =
    call.refusedForm?.action === action && call.refusedForm.key === key ? call.refusedForm : undefined
  const isOutdated = refused?.code === 'changed_meanwhile'
  const originals = new Originals(isOutdated ? readOriginals(refused.values['_filled']?.[0]) : undefined)
  const fields = new Fields(`${action}${key}`, refused, originals)
  const inside = content(fields)
  // Who may not act here sees what is filled in, and nothing to send it with.
  if (!call.mayWrite)
    return fields.labels.size === 0 ? html`` : html`<fieldset class="form" disabled>${inside}</fieldset>`
  // What was refused for another reason is still compared with what its form had been filled from.
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
    class: isInline ? 'form inline' : 'form',
    enctype: hasFile ? 'multipart/form-data' : undefined,
  })
  // What is wrong is told by the server, in the same words as the API's: the browser's own bubbles go away too soon.
  return html`<form method="post" action="${call.linkHere()}"${more} novalidate>
${hidden(Object.entries({ ...own, ...(options.version === undefined ? {} : filled), ...options.hidden }))}
${refused && (isOutdated ? changes(refused, originals) : problems(refused, fields.labels))}
${inside}
<div class="buttons">
<button class="button ${tone}"${attributes({ 'aria-label': options.submitLabel })}>${submit}</button>
${cancel !== undefined && showLinkOrText(cancel, cancelLabel, { class: 'button quiet' })}
</div>
</form>`
}

/** A form that changes nothing: its fields go into this page's address, which begins at the first page again. */
export function searchForm(call: Call, submit: string, content: (fields: Fields) => Content): Html {
  const [path = '', search = ''] = call.linkHere({ page: null }).split('?')
  const refused = call.refusedQuery
  const fields = new Fields('search', refused && { ...refused, isSearch: true })
  const inside = content(fields)
  refused?.noteShown(fields.labels)
  const others = [...new URLSearchParams(search)].filter(([name]) => !fields.labels.has(name))
  return html`<form method="get" action="${path}" class="form inline" role="search">
${hidden(others)}
${refused && html`<div class="notice bad" role="alert"><p>${t`The marked fields are ignored until they are fixed.`}</p></div>`}
${inside}
<div class="buttons"><button class="button quiet">${submit}</button></div>
</form>`
}

/** A form that is all of its page, or one part among others. */
export function formCard(call: Call, options: FormOptions, content: (fields: Fields) => Content): Html {
  return html`<div class="card narrow">${form(call, options, content)}</div>`
}

/** The page that asks before something is done for good. */
export function confirmation(
  call: Call,
  {
    fields,
    ...options
  }: FormOptions & {
    question: string
    consequence: Content
    details?: Content
    fields?: ((fields: Fields) => Content) | undefined
  },
): View {
  return {
    title: options.question,
    content: html`<div class="card narrow"><p>${options.consequence}</p>${options.details ?? ''}
${form(call, { tone: 'danger', cancelLabel: t`Keep it`, ...options }, fields)}</div>`,
  }
}

// Several of one name stay several.
function hidden(values: Array<[name: string, value: string | number]>): Html[] {
  return values.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}

// Sent once more it is saved: whoever does so has seen what is replaced.
function changes({ detail }: RefusedForm, { differences }: Originals): Html {
  const sentences = differences.map((each) => t`Changed meanwhile: ${describeDifference(each)}`)
  return html`<div class="notice bad" role="alert" tabindex="-1" autofocus>
<p>${formatMessage(detail)} ${t`Check it, and save again to keep what the form shows now.`}</p>
${sentences.map((each) => html`<p>${each}</p>`)}
</div>`
}

// Told above the fields: what concerns none of them.
function problems({ errors, detail }: RefusedForm, shown: ReadonlyMap<string, string>): Html {
  const elsewhere = Object.entries(errors).flatMap(([path, sentences]) =>
    shown.has(path.split('.')[0] ?? '') ? [] : sentences,
  )
  const told = Object.keys(errors).length === 0 ? [detail] : elsewhere
  const sentences = told.map((each) => formatMessage(each, shown))
  if (sentences.length === 0) sentences.push(t`Not saved. Please fix the marked fields.`)
  return html`<div class="notice bad" role="alert" tabindex="-1" autofocus>
${sentences.map((each) => html`<p>${each}</p>`)}
</div>`
}
