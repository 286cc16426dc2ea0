// Names who made a change, and says what kind of actor it is unless it is an administrator.
import { type Html, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { AuditRow } from './queries.ts'

type Actor = Pick<AuditRow, 'actorType' | 'actorId' | 'actor'>

// The names of Berth's own processes in the audit log.
const OWN_PROCESSES = ['check-in', 'holds', 'hooks', 'upkeep', 'waits']
const SCREEN = /^Screen /

export function showActor(actor: Actor): Html {
  const kind = kindOf(actor)
  return html`${nameOf(actor)}${kind && html` <span class="badge">${translate(kind)}</span>`}`
}

const isOwnProcess = ({ actorType, actorId, actor }: Actor) =>
  actorType === 'system' && actorId === null && OWN_PROCESSES.includes(actor)

/** Of system actors, only screens have an id. */
const isScreen = ({ actorType, actorId }: Actor) => actorType === 'system' && actorId !== null

function nameOf(actor: Actor): string {
  if (isOwnProcess(actor)) return t`Berth`
  return isScreen(actor) ? actor.actor.replace(SCREEN, '') : actor.actor
}

/** Undefined for administrators, the most common actors. */
function kindOf(actor: Actor): Sentence | undefined {
  const { actorType } = actor
  if (actorType === 'admin') return undefined
  if (actorType === 'token') return sentence`token`
  if (actorType === 'user') return sentence`person`
  if (isOwnProcess(actor)) return sentence`automatic`
  if (isScreen(actor)) return sentence`screen`
  return actor.actor.startsWith('npm run ') ? sentence`command` : sentence`sign-in provider`
}
