// Formats the map's states for people: a word each, and the tone of its badge.
import { STATES, stateOf } from '../../api/livemap/cells.ts'
import { type Html, html } from '../../http/html.ts'
import { type Sentence, sentence, t, translate } from '../locales/translate.ts'
import type { MapBookable } from './queries.ts'

type State = (typeof STATES)[keyof typeof STATES]['label']

const WORDS: Record<State, Sentence> = {
  free: sentence`free`,
  occupied: sentence`occupied`,
  blocked: sentence`blocked`,
  assigned: sentence`assigned`,
}
const TONES: Record<State, string> = {
  free: 'good',
  occupied: 'bad',
  blocked: 'warn',
  assigned: 'accent',
}

export const formatState = (one: MapBookable): string => translate(WORDS[stateOf(one).label])

export function showState(one: MapBookable): Html {
  return html`<span class="badge ${TONES[stateOf(one).label]}">${formatState(one)}</span>`
}

/** What the colours mean. */
export function legend(): Html {
  const states = Object.values(STATES).map(
    ({ fill, line, label }) =>
      html`<li><svg viewBox="0 0 18 18" aria-hidden="true"><rect x="1" y="1" width="16" height="16" rx="4" fill="${fill}" stroke="${line}"/></svg>${translate(WORDS[label])}</li>`,
  )
  return html`<ul class="map-legend" aria-label="${t`Legend`}">${states}</ul>`
}
