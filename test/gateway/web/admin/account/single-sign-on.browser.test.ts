// Tests signing in through the provider in a real browser, which is stricter about cookies and forms than a
// program.
import { expect } from 'chai'
import { expectAccessible, openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { Browser } from '../../../../support/dashboard/dashboard.ts'
import { createProviderEnvironment, useProvider } from '../../../../support/dashboard/provider.ts'
import { useWorld } from '../../../../support/world.ts'

describe('signing in through an identity provider, in a browser', () => {
  useChromium()
  const provider = useProvider()
  const world = useWorld(() => ({ environment: createProviderEnvironment(provider) }))
  before(() => provider.serve(world.url))

  for (const [colorScheme, viewport] of [
    ['light', { width: 1440, height: 900 }],
    ['dark', { width: 390, height: 844 }],
  ] as const) {
    for (const javaScriptEnabled of [true, false]) {
      const scripts = javaScriptEnabled ? 'with scripts' : 'without'
      it(`leads to the identity provider and back, ${scripts}, ${colorScheme}, at ${viewport.width}`, async () => {
        provider.person = {
          sub: scripts + colorScheme,
          email: `${viewport.width}${scripts.length}@example.com`,
        }
        Object.assign(provider.person, { email_verified: true, groups: ['berth-owners'] })
        const options = { colorScheme, viewport, javaScriptEnabled }
        const { context, page, complaints } = await openWindow(new Browser(world.url), options)
        await page.goto('/dashboard/settings')
        if (javaScriptEnabled) await expectAccessible(page)
        await page.getByRole('button', { name: 'Sign in with Example ID' }).click()
        await page.waitForURL(`${world.url}/dashboard/settings`)
        expect(await page.textContent('main')).to.include(String(provider.person['email']))
        await page.goto('/dashboard/sign-out')
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.waitForURL(`${provider.issuer}/session/end**`)
        await page.getByRole('button', { name: 'Yes, sign me out' }).click()
        await page.waitForURL(`${world.url}/dashboard/sign-in`)
        expect(await page.textContent('main')).to.include('You are signed out.')
        const ours = complaints.filter((each) => !each.includes(provider.issuer))
        expect(ours).to.deep.equal([])
        await context.close()
      })
    }
  }
})
