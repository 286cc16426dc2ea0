// Tests which Authentication-Results headers prove that a mail comes from its sender.
import { expect } from 'chai'
import { isAuthenticated } from '../../../../workers/pollers/answers/check-sender.ts'

const SENDER = 'ada@mail.example.com'
const MX = 'mx.berth.example'

const check = (...results: string[]) =>
  isAuthenticated(
    results.map((value) => ({ key: 'authentication-results', value })),
    MX,
    SENDER,
  )

describe('the check of the sender of an answer', () => {
  it('accepts DMARC or, without a DMARC policy, a DKIM signature of the domain or of a parent domain', () => {
    for (const results of [
      `${MX}; dmarc=pass header.from=mail.example.com`,
      `${MX.toUpperCase()} 1; DMARC = PASS (p=reject; dis=none) header.from=Mail.Example.com`,
      `${MX}; spf=fail; dkim=fail header.d=example.org; dmarc=pass`,
      `${MX}; dkim=pass header.d=mail.example.com`,
      `${MX}; dkim=fail header.d=example.org; dkim=pass header.i=@example.com`,
      `${MX}; dmarc=none; dkim=pass (2048-bit key; \\) "text) header.d=example.com`,
    ])
      expect(check(results), results).to.equal(true)
  })

  it('refuses other domains, other servers, failures, and text that the sender controls', () => {
    for (const results of [
      `${MX}; none`,
      `${MX}; spf=pass smtp.mailfrom=${SENDER}`,
      `${MX}; dmarc=fail header.from=mail.example.com; dkim=pass header.d=mail.example.com`,
      `${MX}; dmarc=pass header.from=example.org`,
      `${MX}; dmarc=temperror; dkim=pass header.d=mail.example.com`,
      `${MX}; dkim=pass header.d=example.org`,
      `${MX}; dkim=pass header.d=ple.com`,
      `${MX}; dkim=pass header.d=other.mail.example.com`,
      `${MX}; dkim=pass`,
      `${MX}; dkim=fail header.d=mail.example.com`,
      'mx.other.example; dmarc=pass header.from=mail.example.com',
      `mx.other.example; spf=pass (${MX}; dmarc=pass); dmarc=pass`,
      `${MX}; spf=pass smtp.mailfrom="; dmarc=pass header.from=mail.example.com"@example.org`,
      `${MX}; spf=pass (; dmarc=pass header.from=mail.example.com) smtp.mailfrom=a@example.org`,
      `${MX}; spf=pass (a \\) ; dmarc=pass) smtp.mailfrom=a@example.org`,
      `${MX}; dmarc=fail; x=y; dmarc=pass`,
      '',
    ])
      expect(check(results), results).to.equal(false)
    expect(check(), 'no header').to.equal(false)
  })

  it('reads only the topmost header of the server, because the sender may have written the others', () => {
    const [good, bad] = [`${MX}; dmarc=pass`, `${MX}; dmarc=fail`]
    expect(check(bad, good)).to.equal(false)
    expect(check('mx.other.example; dmarc=fail', good, bad)).to.equal(true)
  })
})
