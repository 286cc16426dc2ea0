// Handles a form that is submitted after its session has ended. A page sends the input back to the browser,
// leads to signing in, and then submits it again. The form is then shown filled in, not carried out, because
// its token belongs to the old session. The server stores nothing.
import type * as yup from 'yup'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { html } from '../../../html/html.ts'
import type { Context } from '../../../server/services/context.ts'
import { t } from '../../locales/translate.ts'
import type { SiteContext } from '../../pages/page/context.ts'
import { isUrlEncoded, readUrlEncoded } from '../../pages/page/form-body.ts'
import { formLimitsOf } from '../../pages/page/form-limits.ts'
import { findNamed, type Page, type View } from '../../pages/page/page.ts'
import { showLink } from '../../pages/ui/parts.ts'
import { linkTo } from '../../sessions/addresses.ts'

// Anybody can send this form, without a session.
const KEPT_FIELDS_MAX = 2_000

/** Undefined if this page has no such form, or if the form is too large or has a file. */
export async function showResubmitForm(
  ctx: Context,
  page: Page,
  { root, base, services }: SiteContext,
): Promise<View | undefined> {
  if (!isUrlEncoded(ctx)) return undefined
  const limits = formLimitsOf(page, services.config.bodyBytesMax)
  const reading = { ...limits, fieldsMax: Math.min(limits.fieldsMax, KEPT_FIELDS_MAX) }
  const fields = await readUrlEncoded(ctx, reading).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'too_large') return []
    throw error
  })
  const action = findNamed(page.actions, fields.find(([name]) => name === '_action')?.[1] ?? '')
  if (!action) return undefined
  const left = new Set(['_csrf', ...secretsOf(action.form)])
  const kept = fields.filter(([name]) => !left.has(name))
  return {
    title: t`You are signed out`,
    content: html`<div class="card narrow">
<p>${t`Your session has ended. Nothing was changed, and what you entered is kept on this page.`}</p>
<p>${t`Sign in in a new tab, then come back to this one and continue.`}</p>
<form method="post" action="${root}${ctx.url.slice(base.length)}" class="form">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="buttons">${showLink(linkTo(root, '/sign-in'), t`Sign in`, { class: 'button primary', target: '_blank' })}
<button class="button">${t`Continue`}</button></div>
</form>
</div>`,
  }
}

function secretsOf(form: yup.AnySchema): string[] {
  const { fields } = form as yup.ObjectSchema<yup.AnyObject>
  const isSecret = (rule: unknown) => (rule as yup.AnySchema).spec.meta?.isSecret === true
  return Object.entries(fields).flatMap(([name, rule]) => (isSecret(rule) ? [name] : []))
}
