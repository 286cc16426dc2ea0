// Events in words: their status, their classification, and what attendees have answered.
import { EVENT_STATUSES } from '../../../shared/contracts/events.ts'
import { type Html, html } from '../../http/html.ts'

export const STATUS_CHOICES = ['all', 'confirmed', 'cancelled'] as const
export const STATUS_OPTIONS: Array<{ value: (typeof STATUS_CHOICES)[number]; label: string }> = [
  { value: 'all', label: 'All' },
  { value: 'confirmed', label: 'Confirmed' },
  { value: 'cancelled', label: 'Cancelled' },
]

export const CLASSIFICATIONS = ['Public', 'Private', 'Confidential', 'Default'] as const

const ROLES = ['organizer', 'attendee'] as const
const RESPONSES = ['no response', 'accepted', 'tentative', 'declined'] as const
const TONES = ['', 'good', 'warn', 'bad'] as const

export function formatRole(role: number): string {
  return ROLES[role] ?? ''
}

export function showResponse(status: number): Html {
  return html`<span class="badge ${TONES[status]}">${RESPONSES[status]}</span>`
}

export function isCancelled({ status }: { status: number }): boolean {
  return status === EVENT_STATUSES.cancelled
}

export function showEventStatus(
  event: { status: number; from: string; to: string },
  now: string,
): Html | false {
  if (isCancelled(event)) return html`<span class="badge bad">cancelled</span>`
  if (event.to <= now) return html`<span class="badge">over</span>`
  return event.from <= now && html`<span class="badge good">now</span>`
}
