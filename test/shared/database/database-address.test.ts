// Tests connection URLs of Postgres: Berth accepts those that psql accepts, and explains errors in all others.
import { expect } from 'chai'
import { findAddressProblem, parseDatabaseAddress } from '../../../shared/database/hosts.ts'

const LIBPQ_OPTION = 'uselibpqcompat=true'

describe('the address of Postgres', () => {
  it('may have one host or several', () => {
    const one = 'postgres://berth:se%2Ccret@db.example/berth'
    expect(parseDatabaseAddress(one)).to.deep.equal({
      hosts: [{ host: 'db.example', port: 5432, url: one }],
      targetServer: 'primary',
      preparesStatements: true,
    })
    const several = 'postgresql://berth:s@a:5433,[::1],c/berth?connect_timeout=3'
    expect(parseDatabaseAddress(several).hosts.map(({ host, port, url }) => [host, port, url])).to.deep.equal(
      [
        ['a', 5433, 'postgresql://berth:s@a:5433/berth?connect_timeout=3'],
        ['::1', 5432, 'postgresql://berth:s@[::1]/berth?connect_timeout=3'],
        ['c', 5432, 'postgresql://berth:s@c/berth?connect_timeout=3'],
      ],
    )
  })

  it('may say whether to connect to a primary or a standby', () => {
    const targetServerOf = (value: string) =>
      parseDatabaseAddress(`postgres://a,b/berth?${value}`).targetServer
    expect(
      ['', 'read-write', 'any', 'standby', 'read-only', 'prefer-standby'].map((value) =>
        targetServerOf(value && `target_session_attrs=${value}`),
      ),
    ).to.deep.equal(['primary', 'primary', 'any', 'standby', 'standby', 'prefer-standby'])
  })

  it('may require TLS in the same way as for libpq', () => {
    const urlOf = (query: string) => parseDatabaseAddress(`postgres://a/berth${query}`).hosts[0].url
    expect(urlOf('?sslmode=require')).to.equal(`postgres://a/berth?sslmode=require&${LIBPQ_OPTION}`)
    expect(urlOf('?sslmode=no-verify')).to.equal('postgres://a/berth?sslmode=no-verify')
    expect(urlOf('')).to.equal('postgres://a/berth')
  })

  const problems: Array<[address: string, problem: RegExp | undefined]> = [
    ['postgres://berth:secret@a:5432,b:5433/berth?target_session_attrs=primary', undefined],
    ['postgres:///berth?host=/var/run/postgresql', undefined],
    [`postgres://a/berth?sslmode=verify-ca&sslrootcert=${import.meta.filename}`, undefined],
    ['mysql://a/berth', /^must be a URL that starts with/],
    ['postgres://a:5432,b:x/berth', /^must look like postgres:/],
    [
      'postgres://a/berth?sslmode=allow',
      /^may have an sslmode of disable, prefer, require, verify-ca, verify-full$/,
    ],
    ['postgres://a/berth?sslmode=verify-ca', /sslrootcert/],
    ['postgres://a/berth?sslmode=verify-full&sslrootcert=/nowhere/ca.pem', /^names a file for sslrootcert/],
    ['postgres://a/berth?prepared_statements=false', undefined],
    ['postgres://a/berth?prepared_statements=no', /^may have prepared_statements of true or false$/],
    ['postgres://a,b/berth?target_session_attrs=master', /^may have target_session_attrs of any, /],
  ]
  for (const [address, problem] of problems) {
    it(`is ${problem ? 'refused with a reason' : 'accepted'}: ${address.replace(/=\/.*(?=\/)/, '=…')}`, () => {
      if (problem) expect(findAddressProblem(address)).to.match(problem)
      else expect(findAddressProblem(address)).to.equal(undefined)
    })
  }
})
