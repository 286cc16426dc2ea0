// People sign in to their own pages through a real OpenID Connect provider.
import { expect } from 'chai'
import { Browser } from '../../../support/dashboard/dashboard.ts'
import {
  beginSignIn,
  comeBack,
  providerEnvironment,
  useProvider,
} from '../../../support/dashboard/provider.ts'
import { createUser } from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

describe('signing in to the own pages through the provider', () => {
  const provider = useProvider()
  const world = useWorld(() => ({ environment: providerEnvironment(provider) }))
  before(() => provider.serve(world.url))

  it('keeps the language of the first sign-in for mails', async () => {
    const user_id = await createUser(world.database, { email: 'ada@example.com' })
    const signIn = async (language: string) => {
      const browser = new Browser(world.url)
      provider.person = { sub: 'ada', email: 'Ada@example.com', email_verified: true }
      const address = await provider.follow(await beginSignIn(browser, '/my/sign-in'))
      browser.cookies.set('berth_language', language)
      await comeBack(browser, address)
      expect(browser.page).to.include({ status: 200, path: '/my' })
    }
    await signIn('de')
    await signIn('en')
    expect(await world.database('person_languages')).to.deep.equal([{ user_id, language: 'de' }])
  })
})
