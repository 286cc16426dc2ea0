// Settings: creating a new secret for a token. It is derived like that of a new token, from the session's
// secret and the form's id, and only the answer shows it.

import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { choice, object, pathId, required } from '../../../shared/schemas/fields.ts'
import { deriveToken, hashToken } from '../../../shared/tokens/token-store.ts'
import { html } from '../../http/html.ts'
import { page } from '../kit/page.ts'
import { sentence, t, translate } from '../locales/translate.ts'
import { form } from '../ui/forms.ts'
import { findToken } from './queries.ts'
import { showSecret } from './secrets.ts'

const missing = message`This token does not exist or no longer works.`
const HOUR_SECONDS = 3_600
/** In hours, with a sentence about the previous secret. */
const OVERLAPS = [
  {
    value: '0',
    label: sentence`Not at all`,
    before: sentence`The previous secret no longer works.`,
  },
  {
    value: '1',
    label: sentence`An hour`,
    before: sentence`The previous secret works for another hour.`,
  },
  {
    value: '24',
    label: sentence`A day`,
    before: sentence`The previous secret works for another day.`,
  },
  {
    value: '168',
    label: sentence`A week`,
    before: sentence`The previous secret works for another week.`,
  },
]

const rotateForm = object({
  overlap: required(
    choice(
      OVERLAPS.map(({ value }) => value),
      (name) => message`${name} must be one of the choices.`,
    ),
  ),
})

export const rotateToken = page({
  path: '/settings/tokens/{id}/rotate',
  title: sentence`New secret`,
  section: 'Settings',
  params: object({ id: pathId() }),
  missing,
  actions: (action) => ({
    rotate: action(rotateForm, async (call) => {
      const secret = deriveToken(call.deriveSecret('token'))
      await call.dispatch('tokens.rotate', {
        id: call.params.id,
        hash: hashToken(secret).toString('hex'),
        overlap_seconds: Number(call.form.overlap) * HOUR_SECONDS,
      })
      const chosen = OVERLAPS.find(({ value }) => value === call.form.overlap)
      return {
        show: {
          breadcrumbs: [[t`Settings`, '/settings']],
          title: t`Secret created`,
          ...(chosen && { lead: translate(chosen.before) }),
          content: showSecret(call, secret),
        },
      }
    }),
  }),
  async show(call) {
    const token = await findToken(call.reads, call.params.id)
    if (token?.state !== 'valid') throw new Refusal('not_found', missing)
    return {
      breadcrumbs: [[t`Settings`, '/settings']],
      title: t`New secret for “${token.name}”`,
      content: html`<div class="card narrow"><p>${t`The token keeps its abilities and limits. Give the new secret to each program that uses it while the current one still works.`}</p>${form(
        call,
        { action: 'rotate', submit: t`Create secret`, cancel: call.link('/settings') },
        (fields) =>
          fields.select({
            name: 'overlap',
            label: t`Keep the current secret valid for`,
            options: OVERLAPS.map(({ value, label }) => ({ value, label: translate(label) })),
            value: '24',
            required: true,
          }),
      )}</div>`,
    }
  },
})
