// The words and badges of the states of bookables on a map.
import { type Html, html } from '../../../html/html.ts'
import { findMapState, type MAP_STATES, type MapBookable } from '../../../reads/map/picture.ts'
import { type Sentence, sentence, translate } from '../../locales/translate.ts'

type BookableStatus = Pick<MapBookable, 'status' | 'occupied' | 'lentUntil'>
type StateLabel = (typeof MAP_STATES)[keyof typeof MAP_STATES]['label']

const STATE_WORDS: Record<StateLabel, { word: Sentence; tone: string }> = {
  free: { word: sentence`free`, tone: 'good' },
  occupied: { word: sentence`occupied`, tone: 'bad' },
  blocked: { word: sentence`blocked`, tone: 'warn' },
  assigned: { word: sentence`assigned`, tone: 'accent' },
}

export const formatState = (one: BookableStatus): string =>
  translate(STATE_WORDS[findMapState(one).label].word)

export function showState(one: BookableStatus): Html {
  return html`<span class="badge ${STATE_WORDS[findMapState(one).label].tone}">${formatState(one)}</span>`
}

/** Returns the words of all states, for the legend of the map. */
export const listStateWords = () =>
  Object.fromEntries(Object.entries(STATE_WORDS).map(([state, { word }]) => [state, translate(word)]))
