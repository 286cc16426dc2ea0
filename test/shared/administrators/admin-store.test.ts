// Tests how passwords of administrators are stored.
import { expect } from 'chai'
import { hashPassword, verifyPassword } from '../../../shared/administrators/admin-store.ts'

describe('the password of an administrator', () => {
  it('is stored as an scrypt hash with a random salt, which matches no other password', async () => {
    const password = 'a long and simple sentence '
    const [one = '', other = ''] = await Promise.all([hashPassword(password), hashPassword(password)])
    expect(one).to.match(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
    expect(one).to.not.equal(other)
    expect(await verifyPassword(password, one)).to.equal(true)
    for (const wrong of [password.trim(), password.toUpperCase(), `${password}.`, ''])
      expect(await verifyPassword(wrong, one), wrong).to.equal(false)
  })
})
