// The states of webhooks and deliveries, as badges and sentences.
import { writeEnglish } from '../../../shared/messages/write-message.ts'
import { type Html, html } from '../../http/html.ts'
import { formatMessage, t } from '../locales/translate.ts'
import { showRelativeInstant } from '../time/instants.ts'
import type { DeliveryRow, WebhookRow } from './queries.ts'

export function showWebhookState({ isEnabled, disabledReason, failingSince }: WebhookRow): Html {
  if (!isEnabled)
    return disabledReason === null
      ? html`<span class="badge">${t`off`}</span>`
      : html`<span class="badge bad">${t`switched off`}</span>`
  return failingSince === null
    ? html`<span class="badge good">${t`on`}</span>`
    : html`<span class="badge warn">${t`failing`}</span>`
}

export function showDeliveryState({ deliveredAt, nextAt, attempts, tookMs }: DeliveryRow): Html {
  if (deliveredAt !== null) return html`<span class="badge good">${t`delivered`}</span>`
  if (nextAt === null) return html`<span class="badge bad">${t`failed`}</span>`
  // Its attempt is in progress, or has not begun.
  if (attempts === 0 || tookMs === null) return html`<span class="badge">${t`waiting`}</span>`
  return html`<span class="badge warn">${t`trying again`}</span>`
}

/** The status of the answer, or why there was none. */
export function formatAnswer({ status, error, errorMessage }: DeliveryRow): string {
  if (status !== null) return String(status)
  if (error === null) return '–'
  // The previous release writes only the sentence, and may have made the last attempt.
  const isOfThisAttempt = errorMessage !== null && writeEnglish(errorMessage) === error
  return isOfThisAttempt ? formatMessage(errorMessage) : error
}

export function showNextAttempt({ nextAt, tookMs }: DeliveryRow, now: string): Html | string {
  if (nextAt === null) return '–'
  if (tookMs === null || nextAt <= now) return t`now`
  return showRelativeInstant(nextAt, now)
}
