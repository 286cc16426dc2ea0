// Shows who made a change. Names the kind of actor unless the actor is an administrator.
import { type Html, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { AuditRow } from './queries.ts'

type AuditActor = Pick<AuditRow, 'actorType' | 'actorId' | 'actor'>

// The names of Berth's own processes in the audit log.
const BERTH_PROCESSES = ['check-in', 'holds', 'hooks', 'upkeep', 'waits']
const SCREEN_PREFIX = /^Screen /
/** The ways in which people answer invitations without signing in, by their names in the audit log. */
const ANSWERS: Record<string, Sentence> = {
  invitation: sentence`Link in an invitation`,
  'mail answer': sentence`Answer by mail`,
}

export function showActor(actor: AuditActor): Html {
  const kind = findActorKind(actor)
  return html`${findActorName(actor)}${kind && html` <span class="badge">${translate(kind)}</span>`}`
}

const isBerthProcess = ({ actorType, actorId, actor }: AuditActor) =>
  actorType === 'system' && actorId === null && BERTH_PROCESSES.includes(actor)

/** Screens are the only system actors that have an id. */
const isScreen = ({ actorType, actorId }: AuditActor) => actorType === 'system' && actorId !== null

const answerOf = ({ actorType, actorId, actor }: AuditActor): Sentence | undefined =>
  actorType === 'system' && actorId === null ? ANSWERS[actor] : undefined

function findActorName(actor: AuditActor): string {
  if (isBerthProcess(actor)) return t`Berth`
  const answer = answerOf(actor)
  if (answer) return translate(answer)
  return isScreen(actor) ? actor.actor.replace(SCREEN_PREFIX, '') : actor.actor
}

/** Returns the kind of actor, or undefined for administrators, who are the most common actors. */
function findActorKind(actor: AuditActor): Sentence | undefined {
  const { actorType } = actor
  if (actorType === 'admin') return undefined
  if (actorType === 'token') return sentence`token`
  if (actorType === 'user') return sentence`person`
  if (isBerthProcess(actor)) return sentence`automatic`
  if (isScreen(actor)) return sentence`screen`
  if (answerOf(actor)) return sentence`automatic`
  return actor.actor.startsWith('npm run ') ? sentence`command` : sentence`sign-in provider`
}
