// A page that explains each failure; the `type` of an error answer links to its section.
import { field, message } from '../../shared/messages/message.ts'
import { problemBody, Refusal } from '../../shared/messages/refusal.ts'
import { REFUSALS } from '../../shared/messages/refusal-kinds.ts'
import { type Html, html } from '../http/html.ts'
import { layout } from './layout.ts'

export function errorsPage(root: string, baseUrl: string): Html {
  const kinds = Object.entries(REFUSALS).sort(([, a], [, b]) => a.status - b.status)
  const contents = kinds.map(
    ([code, { status }]) =>
      html`<li><a href="#${code}"><span class="method">${status}</span><span>${code}</span></a></li>`,
  )
  const sections = kinds.map(
    ([code, { status, title, explanation }]) => html`<section id="${code}" class="card">
<h2><span class="status">${status}</span> ${title}</h2>
<p><code>${code}</code></p>
<p>${explanation}</p>
</section>`,
  )
  return layout(
    { title: 'Berth API errors', root },
    html`<main class="columns">
<div class="intro"><h1>Errors</h1>
<p>Every failure has the same shape. <code>code</code> is stable and meant for programs; <code>detail</code>, repeated in
<code>message</code>, is for people. <code>errors</code> lists the invalid fields of a 422, and <code>request_id</code>
finds the request in the logs.</p>
<pre class="wrap">${example(baseUrl)}</pre></div>
<nav aria-label="Codes" class="contents"><ul>${contents}</ul></nav>
<div class="sections">${sections}</div>
</main>`,
  )
}

function example(baseUrl: string): string {
  const problem = message`${field('to_time')} must be after ${field('from_time')}.`
  const refusal = new Refusal('validation_failed', problem, { errors: { to_time: [problem] } })
  const requestId = '0199d1c2-5b3e-4f7a-9c41-6f0e8a7d2b10'
  return JSON.stringify(JSON.parse(problemBody(refusal, { baseUrl, requestId })), null, 2)
}
