// The API page: documentation, first steps, and API requests to try.
import { object, text } from '../../../../shared/schemas/fields.ts'
import { createOpenApiDocument, type OpenApiDocument } from '../../../api/openapi/document.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import type { Endpoint } from '../../../server/http/endpoint.ts'
import { currentLanguage, sentence, t, tHtml } from '../../locales/translate.ts'
import { type Call, definePage, type Page } from '../../pages/page/page.ts'
import { Fields } from '../../pages/ui/fields.ts'
import { showSearchForm } from '../../pages/ui/forms.ts'
import { showCard, showCopyable, showLinkOrText } from '../../pages/ui/parts.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { findRootPath } from '../../sessions/addresses.ts'
import { showIntegrationTabs } from '../tokens/integration-tabs.ts'
import {
  createTryItOperations,
  findExamples,
  formatTryItCommand,
  type TryItField,
  type TryItOperation,
} from './try-it.ts'

/** Takes the endpoints as a parameter, because the module that declares them imports the dashboard. */
export function apiPage(endpoints: Endpoint[]): Page {
  let document: OpenApiDocument | undefined
  return definePage({
    path: '/integrations',
    title: sentence`Integrations`,
    section: 'Integrations',
    query: object({ endpoint: text({ max: 100 }) }),
    async show(call) {
      // Creates the document only once, because that takes milliseconds. The page does not show the
      // document's server address.
      document ??= createOpenApiDocument(endpoints, '')
      const trials = createTryItOperations(document, await findExamples(call.reads), call.now)
      const trial = trials.find(({ id }) => id === call.query.endpoint) ?? trials[0]
      return {
        lead: t`For programs that look up people or make bookings.`,
        script: 'try-it',
        content: html`${showIntegrationTabs(call, '/integrations')}${showFirstSteps(call)}${trial && showTryIt(call, trials, trial)}`,
      }
    },
  })
}

function showFirstSteps(call: Call): Html {
  const { baseUrl } = call
  const create = showLinkOrText(call.link('/integrations/tokens/new'), t`Create a token`)
  const request = `curl -H "Authorization: Bearer $TOKEN" '${baseUrl}/api/v1/groups'`
  const reference = showLinkOrText(`${baseUrl}/api/docs`, t`the API reference`)
  const errors = showLinkOrText(`${baseUrl}/api/docs/errors`, t`errors`)
  const document = showLinkOrText(`${baseUrl}/api/v1/openapi.json`, t`the OpenAPI document`)
  return showCard(
    t`First steps`,
    html`<ol class="steps">
<li>${tHtml`${create} with the permissions that your program needs.`}</li>
<li>${t`Set the token in your shell:`} ${showCopyable('token-line', "TOKEN='…'", t`Copy the command`)}</li>
<li>${t`Send a request:`} ${showCopyable('first-line', request, t`Copy the command`)}</li>
<li>${tHtml`Read more: ${reference}, ${errors}, and ${document}.`}</li>
</ol>`,
    'first-steps',
  )
}

function showTryIt(call: Call, trials: TryItOperation[], trial: TryItOperation): Html {
  const { method, path, isWrite, summary, description } = trial
  const options = trials.map((each) => ({
    value: each.id,
    label: `${each.method} ${shortenPath(each.path)}`,
  }))
  return showCard(
    t`Try it`,
    html`${showSearchForm(call, t`Show`, (fields) =>
      fields.select('endpoint', t`Endpoint`, { options, value: trial.id, required: true }),
    )}
<div class="trial" data-try data-method="${method}" data-path="${path}"
 data-root="${findRootPath(call.services.config)}" data-base="${call.baseUrl}">
<h3><span class="badge accent">${method}</span> <code>${shortenPath(path)}</code></h3>
<p>${markAsEnglish(`${summary}.`)} <span class="soft">${markAsEnglish(description.replaceAll('`', ''))}</span></p>
${isWrite && showNotice('warn', t`This changes real data.`)}
${showFields(trial)}
<div class="narrow" data-sender hidden>${new Fields('try').text('token', t`Token`, { type: 'password', autocomplete: 'off', required: true, hint: t`Used only for this request and never stored.` })}
<div class="buttons"><button type="button" class="button primary" data-send>${t`Send`}</button></div></div>
<h3>${t`With curl`}</h3>
<div class="copied"><pre id="try-line" tabindex="0">${formatTryItCommand(trial, call.baseUrl)}</pre><button type="button" class="button quiet" data-copy="try-line" hidden>${t`Copy`}</button></div>
<div data-answer role="status" aria-live="polite" hidden></div>
<noscript><p class="soft">${t`Turn on JavaScript to send the request from here.`}</p></noscript>
</div>`,
    'try',
  )
}

function showFields({ fields, body, bodyFields }: TryItOperation): Content {
  const shown = new Fields('try')
  return html`<div class="narrow">${fields.map((field) => showControl(shown, field))}
${
  body !== undefined &&
  html`<div data-body>${shown.area('body', t`Body`, { hint: t`JSON.`, value: body, rows: 9, required: true })}
<details><summary>${t`Fields`}</summary><dl class="facts">${bodyFields.map(
    ({ name, required, description }) =>
      html`<dt><code>${name}</code></dt><dd>${required && html`<strong>${t`Required.`}</strong> `}${markAsEnglish(description)}</dd>`,
  )}</dl></details></div>`
}</div>`
}

function showControl(fields: Fields, field: TryItField): Html {
  const { kind, name, required, description: hint, example: value, options } = field
  const own = { hint: hint === '' ? undefined : markAsEnglish(hint), required }
  const choices = options.map((each) => ({ value: each, label: each }))
  const shown =
    kind === 'file'
      ? fields.file(name, name, own)
      : options.length > 0
        ? fields.select(name, name, { ...own, any: required ? undefined : '–', options: choices, value })
        : fields.text(name, name, { ...own, value })
  return html`<div data-in="${kind}" data-name="${name}" translate="no">${shown}</div>`
}

/** Marks text of the API document as English, because the page may be in another language. */
function markAsEnglish(text: string): Html {
  return currentLanguage() === 'en' ? html`${text}` : html`<span lang="en">${text}</span>`
}

function shortenPath(path: string): string {
  return path.replace('/api/v1', '')
}
