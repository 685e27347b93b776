"""The one way to sources on the network: limited, retried, cached, paid."""
