# What anybody would write in a shell: curl and jq, page by page, a line for each record. curl-client.sh ADDRESS
set -eu
page=$(mktemp)
trap 'rm -f "$page"' EXIT
after=''
while :; do
  curl -sSf -H 'authorization: Basic x' "$1/admin/v2/reviews?first=100$after" > "$page"
  jq -c '.data[]' "$page"
  after=$(jq -r 'if .pageInfo.hasNextPage then "&after=" + .pageInfo.endCursor else "" end' "$page")
  [ -n "$after" ] || break
done
