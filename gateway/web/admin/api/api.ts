// The API page: documentation, first steps, and requests to try.
import { object, text } from '../../../../shared/schemas/fields.ts'
import { createOpenApiDocument, type OpenApiDocument } from '../../../api/openapi/document.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import type { Endpoint } from '../../../server/http/endpoint.ts'
import { currentLanguage, sentence, t, tHtml } from '../../locales/translate.ts'
import { type Call, type Page, page } from '../../pages/page/page.ts'
import { Fields } from '../../pages/ui/fields.ts'
import { searchForm } from '../../pages/ui/forms.ts'
import { card, copyable, showLinkOrText } from '../../pages/ui/parts.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { rootPath } from '../../sessions/addresses.ts'
import { integrationTabs } from '../tokens/integration-tabs.ts'
import { createTrials, curlLineOf, findExamples, type Trial, type TryField } from './try-it.ts'

/** Takes the endpoints as a parameter, because the module that declares them imports the dashboard. */
export function apiPage(endpoints: Endpoint[]): Page {
  let document: OpenApiDocument | undefined
  return page({
    path: '/integrations',
    title: sentence`Integrations`,
    section: 'Integrations',
    query: object({ endpoint: text({ max: 100 }) }),
    async show(call) {
      // Created once, because it takes milliseconds. The page does not show the server address in it.
      document ??= createOpenApiDocument(endpoints, '')
      const trials = createTrials(document, await findExamples(call.reads), call.now)
      const trial = trials.find(({ id }) => id === call.query.endpoint) ?? trials[0]
      return {
        lead: t`For programs that find people or make bookings.`,
        content: html`${integrationTabs(call, '/integrations')}${firstSteps(call)}${trial && tryIt(call, trials, trial)}`,
      }
    },
  })
}

function firstSteps(call: Call): Html {
  const { baseUrl } = call
  const create = showLinkOrText(call.link('/integrations/tokens/new'), t`Create a token`)
  const request = `curl -H "Authorization: Bearer $TOKEN" '${baseUrl}/api/v1/groups'`
  const reference = showLinkOrText(`${baseUrl}/api/docs`, t`the API reference`)
  const errors = showLinkOrText(`${baseUrl}/api/docs/errors`, t`errors`)
  const document = showLinkOrText(`${baseUrl}/api/v1/openapi.json`, t`the OpenAPI document`)
  return card(
    t`First steps`,
    html`<ol class="steps">
<li>${tHtml`${create} that may do what your program needs.`}</li>
<li>${t`Set it in your shell:`} ${copyable('token-line', "TOKEN='…'", t`Copy the command`)}</li>
<li>${t`Send a request:`} ${copyable('first-line', request, t`Copy the command`)}</li>
<li>${tHtml`Read more: ${reference}, ${errors}, and ${document}.`}</li>
</ol>`,
    'first-steps',
  )
}

function tryIt(call: Call, trials: Trial[], trial: Trial): Html {
  const { method, path, isWrite, summary, description } = trial
  const options = trials.map((each) => ({ value: each.id, label: `${each.method} ${shortPath(each.path)}` }))
  return card(
    t`Try it`,
    html`${searchForm(call, t`Show`, (fields) =>
      fields.select('endpoint', t`Endpoint`, { options, value: trial.id, required: true }),
    )}
<div class="trial" data-try data-method="${method}" data-path="${path}"
 data-root="${rootPath(call.services.config)}" data-base="${call.baseUrl}">
<h3><span class="badge accent">${method}</span> <code>${shortPath(path)}</code></h3>
<p>${inEnglish(`${summary}.`)} <span class="soft">${inEnglish(description.replaceAll('`', ''))}</span></p>
${isWrite && showNotice('warn', t`This changes real data.`)}
${fieldsOf(trial)}
<div class="narrow" data-sender hidden>${new Fields('try').text('token', t`Token`, { type: 'password', autocomplete: 'off', required: true, hint: t`Used only for this request and never stored.` })}
<div class="buttons"><button type="button" class="button primary" data-send>${t`Send`}</button></div></div>
<h3>${t`With curl`}</h3>
<div class="copied"><pre id="try-line" tabindex="0">${curlLineOf(trial, call.baseUrl)}</pre><button type="button" class="button quiet" data-copy="try-line" hidden>${t`Copy`}</button></div>
<div data-answer role="status" aria-live="polite" hidden></div>
<noscript><p class="soft">${t`Turn on JavaScript to send the request from here.`}</p></noscript>
</div>`,
    'try',
  )
}

function fieldsOf({ fields, body, bodyFields }: Trial): Content {
  const shown = new Fields('try')
  return html`<div class="narrow">${fields.map((field) => control(shown, field))}
${
  body !== undefined &&
  html`<div data-body>${shown.area('body', t`Body`, { hint: t`JSON.`, value: body, rows: 9, required: true })}
<details><summary>${t`Fields`}</summary><dl class="facts">${bodyFields.map(
    ({ name, required, description }) =>
      html`<dt><code>${name}</code></dt><dd>${required && html`<strong>${t`Required.`}</strong> `}${inEnglish(description)}</dd>`,
  )}</dl></details></div>`
}</div>`
}

function control(fields: Fields, field: TryField): Html {
  const { kind, name, required, description: hint, example: value, options } = field
  const own = { hint: hint === '' ? undefined : inEnglish(hint), required }
  const choices = options.map((each) => ({ value: each, label: each }))
  const shown =
    kind === 'file'
      ? fields.file(name, name, own)
      : options.length > 0
        ? fields.select(name, name, { ...own, any: required ? undefined : '–', options: choices, value })
        : fields.text(name, name, { ...own, value })
  return html`<div data-in="${kind}" data-name="${name}" translate="no">${shown}</div>`
}

/** The API's document is in English in every language. */
function inEnglish(text: string): Html {
  return currentLanguage() === 'en' ? html`${text}` : html`<span lang="en">${text}</span>`
}

function shortPath(path: string): string {
  return path.replace('/api/v1', '')
}
