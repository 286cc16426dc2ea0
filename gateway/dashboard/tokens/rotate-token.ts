// Settings: a new secret for a token. As a new token's, it is made of the session's own secret and the form's id, and is shown in
// the answer only.
import { choice, object, pathId, required } from '../../../shared/contracts/fields.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { deriveToken, hashToken } from '../../../shared/tokens.ts'
import { html } from '../../http/html.ts'
import { page } from '../framework/page.ts'
import { form } from '../ui/forms.ts'
import { findToken } from './queries.ts'
import { showSecret } from './secrets.ts'

const missing = 'This token does not exist, or works no more.'
const HOUR_SECONDS = 3_600
const OVERLAPS = [
  { value: '0', label: 'Not at all' },
  { value: '1', label: 'An hour' },
  { value: '24', label: 'A day' },
  { value: '168', label: 'A week' },
]

const rotateForm = object({
  overlap: required(
    choice(
      OVERLAPS.map(({ value }) => value),
      (name) => `${name} must be one of the choices.`,
    ),
  ),
})

export const rotateToken = page({
  path: '/settings/tokens/{id}/rotate',
  title: 'New secret',
  section: 'Settings',
  params: object({ id: pathId() }),
  missing,
  actions: (action) => ({
    rotate: action(rotateForm, async (call) => {
      const secret = deriveToken(call.deriveSecret('token'))
      const hours = Number(call.form.overlap)
      await call.dispatch('tokens.rotate', {
        id: call.params.id,
        hash: hashToken(secret).toString('hex'),
        overlap_seconds: hours * HOUR_SECONDS,
      })
      const label = OVERLAPS.find(({ value }) => value === call.form.overlap)?.label.toLowerCase()
      const ends = hours === 0 ? 'no longer works' : `works for ${label} more`
      return {
        show: {
          breadcrumbs: [['Settings', '/settings']],
          title: 'Secret created',
          lead: html`The secret of before ${ends}.`,
          content: showSecret(call, secret),
        },
      }
    }),
  }),
  async show(call) {
    const token = await findToken(call.reads, call.params.id)
    if (token?.state !== 'valid') throw new Refusal('not_found', missing)
    return {
      breadcrumbs: [['Settings', '/settings']],
      title: `New secret for “${token.name}”`,
      content: html`<div class="card narrow"><p>The token keeps its abilities and limits. Give the new secret to each program that uses it while
the present one works on.</p>${form(
        call,
        { action: 'rotate', submit: 'Create secret', cancel: call.link('/settings') },
        (fields) =>
          fields.select({
            name: 'overlap',
            label: 'The present secret works on for',
            options: OVERLAPS,
            value: '24',
            required: true,
          }),
      )}</div>`,
    }
  },
})
