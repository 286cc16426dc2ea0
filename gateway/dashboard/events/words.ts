// Formats an event's status, its classification, and attendees' roles and responses.
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { type Html, html } from '../../http/html.ts'
import { type Sentence, sentence, t, translate } from '../locales/translate.ts'

export const STATUS_CHOICES = ['all', 'confirmed', 'cancelled'] as const

export function statusOptions(): Array<{ value: (typeof STATUS_CHOICES)[number]; label: string }> {
  return [
    { value: 'all', label: t`All` },
    { value: 'confirmed', label: t`Confirmed` },
    { value: 'cancelled', label: t`Cancelled` },
  ]
}

export const CLASSIFICATIONS = [
  sentence`Public`,
  sentence`Private`,
  sentence`Confidential`,
  sentence`Default`,
] as const

const ROLES = [sentence`organizer`, sentence`attendee`] as const
const RESPONSES = [
  sentence`no response`,
  sentence`accepted`,
  sentence`tentative`,
  sentence`declined`,
] as const
const TONES = ['', 'good', 'warn', 'bad'] as const

export function formatRole(role: number): string {
  return translateAt(ROLES, role)
}

export function formatClassification(classification: number): string {
  return translateAt(CLASSIFICATIONS, classification)
}

export function showResponse(status: number): Html {
  return html`<span class="badge ${TONES[status]}">${translateAt(RESPONSES, status)}</span>`
}

export function isCancelled({ status }: { status: number }): boolean {
  return status === EVENT_STATUSES.cancelled
}

export function showEventStatus(
  event: { status: number; from: string; to: string },
  now: string,
): Html | false {
  if (isCancelled(event)) return html`<span class="badge bad">${t`cancelled`}</span>`
  if (event.to <= now) return html`<span class="badge">${t`over`}</span>`
  return event.from <= now && html`<span class="badge good">${t`now`}</span>`
}

function translateAt(sentences: readonly Sentence[], index: number): string {
  const found = sentences[index]
  return found === undefined ? '' : translate(found)
}
