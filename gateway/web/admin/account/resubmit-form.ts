// Handles a form that is submitted after its session has ended. A page sends the input back to the browser,
// lets the administrator sign in, and then submits the form again. The server then shows the filled-in form
// instead of processing it, because its token belongs to the old session. The server stores nothing.
import type * as yup from 'yup'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { html } from '../../../html/html.ts'
import type { Context } from '../../../server/services/context.ts'
import { t } from '../../locales/translate.ts'
import type { SiteContext } from '../../pages/page/context.ts'
import { isUrlEncoded, readUrlEncoded } from '../../pages/page/form-body.ts'
import { findFormLimits } from '../../pages/page/form-limits.ts'
import { findNamed, type Page, type PageView } from '../../pages/page/page.ts'
import { showLink } from '../../pages/ui/parts.ts'
import { linkTo } from '../../sessions/addresses.ts'

// The maximum number of fields that are sent back. It is limited because anybody can send this form without a
// session.
const SENT_BACK_FIELDS_MAX = 2_000

/** Returns undefined if this page has no such form, or if the form is too large or has a file. */
export async function showResubmitForm(
  ctx: Context,
  page: Page,
  { root, base, services }: SiteContext,
): Promise<PageView | undefined> {
  if (!isUrlEncoded(ctx)) return undefined
  const limits = findFormLimits(page, services.config.bodyBytesMax)
  const reading = { ...limits, fieldsMax: Math.min(limits.fieldsMax, SENT_BACK_FIELDS_MAX) }
  const fields = await readUrlEncoded(ctx, reading).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'too_large') return []
    throw error
  })
  const action = findNamed(page.actions, fields.find(([name]) => name === '_action')?.[1] ?? '')
  if (!action) return undefined
  const left = new Set(['_csrf', ...listSecretFields(action.form)])
  const kept = fields.filter(([name]) => !left.has(name))
  return {
    title: t`You are signed out`,
    content: html`<div class="card narrow">
<p>${t`Your session has ended. Nothing was changed, and what you entered is kept on this page.`}</p>
<p>${t`Sign in using a new tab, then return here and continue.`}</p>
<form method="post" action="${root}${ctx.url.slice(base.length)}" class="form">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="buttons">${showLink(linkTo(root, '/sign-in'), t`Sign in`, { class: 'button primary', target: '_blank' })}
<button class="button">${t`Continue`}</button></div>
</form>
</div>`,
  }
}

function listSecretFields(form: yup.AnySchema): string[] {
  const { fields } = form as yup.ObjectSchema<yup.AnyObject>
  const isSecret = (rule: unknown) => (rule as yup.AnySchema).spec.meta?.isSecret === true
  return Object.entries(fields).flatMap(([name, rule]) => (isSecret(rule) ? [name] : []))
}
