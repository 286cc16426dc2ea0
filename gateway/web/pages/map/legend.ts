// The words and colours of a bookable's state on a map.
import { type Html, html } from '../../../html/html.ts'
import { type MapBookable, STATES, stateOf } from '../../../reads/map/picture.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'

type Status = Pick<MapBookable, 'status' | 'occupied'>
type State = (typeof STATES)[keyof typeof STATES]['label']

const STATE_WORDS: Record<State, { word: Sentence; tone: string }> = {
  free: { word: sentence`free`, tone: 'good' },
  occupied: { word: sentence`occupied`, tone: 'bad' },
  blocked: { word: sentence`blocked`, tone: 'warn' },
  assigned: { word: sentence`assigned`, tone: 'accent' },
}

export const formatState = (one: Status): string => translate(STATE_WORDS[stateOf(one).label].word)

export function showState(one: Status): Html {
  return html`<span class="badge ${STATE_WORDS[stateOf(one).label].tone}">${formatState(one)}</span>`
}

/** What the colours mean; all of them, unless only some occur. */
export function legend(words: Partial<Record<State, string>> = allWords()): Html {
  const states = Object.values(STATES).flatMap(({ fill, line, label }) =>
    words[label] === undefined
      ? []
      : html`<li><svg viewBox="0 0 18 18" aria-hidden="true"><rect x="1" y="1" width="16" height="16" rx="4" fill="${fill}" stroke="${line}"/></svg>${words[label]}</li>`,
  )
  return html`<ul class="map-legend" aria-label="${t`Legend`}">${states}</ul>`
}

const allWords = () =>
  Object.fromEntries(Object.entries(STATE_WORDS).map(([state, { word }]) => [state, translate(word)]))
