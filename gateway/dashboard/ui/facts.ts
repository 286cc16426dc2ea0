// The facts about one thing, as a list of names and values.
import { type Content, type Html, html } from '../../http/html.ts'

/** Leaves out empty values. */
export function showFacts(facts: ReadonlyArray<readonly [name: string, value: Content]>): Html {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '')
  return html`<dl class="facts">${known.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}
