// A page that explains each failure; the `type` of an error answer links to its section.
import { REFUSALS } from '../../shared/refusal.ts'
import { type Html, html } from '../html.ts'
import { layout } from './layout.ts'

export function errorsPage(): Html {
  const sections = Object.entries(REFUSALS).map(
    ([code, { status, title, explanation }]) => html`<section id="${code}" class="card">
<h2><span class="status">${status}</span> ${title}</h2>
<p><code>${code}</code></p>
<p>${explanation}</p>
</section>`,
  )
  return layout(
    'Errors of the Berth API',
    html`<h1>Errors</h1>
<p>Every failure has one shape: <code>code</code> is stable and meant for programs, <code>detail</code> (and
<code>message</code>, which repeats it) for people, <code>errors</code> names the fields of a 422, and
<code>request_id</code> finds the request in the logs.</p>
${sections}`,
  )
}
