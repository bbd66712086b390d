// An account of its own for a test: a copy of the account `template`, which `--seed seed` has filled.
import { randomUUID } from "node:crypto";

const kKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

// Its connection string.
export async function freshAccount() {
  const url = process.env.ROCKTABLE_URL; // rocktable exec exports it
  const account = `t${randomUUID().replaceAll("-", "").slice(0, 20)}`;
  const answer = await fetch(`${url}/_rocktable/accounts/${account}?from=template`, { method: "POST" });
  if (!answer.ok) throw new Error(`cloning answered ${answer.status}: ${await answer.text()}`);
  return (
    `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${kKey};` +
    `TableEndpoint=${url}/${account};`
  );
}
