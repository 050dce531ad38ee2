//! Fetching and compressing by the demo server.

use std::time::Duration;

use jackfield::testing::TestClient;
use jackfield_servers::everything::{GzipLimits, Options, server};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A site that answers every request with what the path says, and what stays open is owned by the task.
struct Site {
    address: String,
    _serving: tokio::task::JoinSet<()>,
}

impl Site {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let mut serving = tokio::task::JoinSet::new();
        let own = address.clone();
        serving.spawn(async move {
            let mut silent = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut head = vec![0; 4096];
                let read = stream.read(&mut head).await.unwrap();
                let head = String::from_utf8_lossy(&head[..read]).into_owned();
                let answer = match head.split(' ').nth(1).unwrap_or_default() {
                    "/text" => "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".to_owned(),
                    "/announced" => "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n".to_owned(),
                    "/endless" => format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(5000)),
                    "/here" => "HTTP/1.1 302 Found\r\nLocation: /text\r\nContent-Length: 0\r\n\r\n".to_owned(),
                    "/loop" => "HTTP/1.1 302 Found\r\nLocation: /loop\r\nContent-Length: 0\r\n\r\n".to_owned(),
                    "/inside" => format!(
                        "HTTP/1.1 302 Found\r\nLocation: http://localhost:{}/text\r\nContent-Length: 0\r\n\r\n",
                        own.rsplit(':').next().unwrap_or_default()
                    ),
                    "/metadata" => {
                        "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"
                            .to_owned()
                    }
                    "/silent" => {
                        silent.push(stream);
                        continue;
                    }
                    _ => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned(),
                };
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        Self { address, _serving: serving }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

fn client(limits: GzipLimits) -> TestClient {
    let mut options = Options::default();
    options.gzip = limits;
    TestClient::of(server(options))
}

fn local() -> GzipLimits {
    let mut limits = GzipLimits::default();
    limits.allow_private_addresses();
    limits.max_size = 1000;
    limits
}

/// Calls the tool; the text of its failure is the error.
async fn pack(client: &TestClient, url: &str) -> Result<String, String> {
    let result =
        client.call_tool("gzip-file-as-resource", json!({"data": url, "outputType": "resource"})).await.unwrap();
    let content = serde_json::to_value(&result.content[0]).unwrap();
    if result.is_failure() {
        return Err(content["text"].as_str().unwrap().to_owned());
    }
    Ok(content["resource"]["blob"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn http_urls_are_fetched() {
    let (site, client) = (Site::new().await, client(local()));
    let packed = pack(&client, &site.url("/text")).await.unwrap();
    assert_eq!(packed, pack(&client, "data:text/plain,hello").await.unwrap());
    assert_eq!(packed, pack(&client, &site.url("/here")).await.unwrap());
    let text = pack(&client, &site.url("/nothing")).await.unwrap_err();
    assert!(text.ends_with("/nothing - status code 404"), "{text}");
}

/// T-062, T-162 in part: addresses that are not public are refused, however they are reached. SEC-012; SEC-013 but for the
/// library: which addresses are public is a list of our own (`Reach`).
#[tokio::test]
async fn only_public_addresses_are_fetched_unless_the_operator_says_so() {
    let site = Site::new().await;
    let strict = client(GzipLimits::default());
    for url in [site.url("/text").as_str(), "http://localhost/", "http://[::1]/", "https://10.0.0.1/", "http://0x7f.1/"]
    {
        let text = pack(&strict, url).await.unwrap_err();
        assert!(text.contains("the address is"), "{url}: {text}");
    }
    let text = pack(&client(local()), &site.url("/metadata")).await.unwrap_err();
    assert!(text.contains("http://169.254.169.254/: the address is not public"), "{text}");
}

#[tokio::test]
async fn domains_are_checked_at_each_step() {
    let site = Site::new().await;
    let mut limits = local();
    limits.allowed_domains = vec!["127.0.0.1".to_owned()];
    let client = client(limits);
    assert!(pack(&client, &site.url("/text")).await.is_ok());
    let text = pack(&client, &site.url("/inside")).await.unwrap_err();
    assert!(text.ends_with("Domain localhost is not in the allowed domains list."), "{text}");
    let text = pack(&client, "http://example.com/").await.unwrap_err();
    assert_eq!(
        text,
        "Error processing file http://example.com/: Domain example.com is not in the allowed domains list."
    );
}

#[tokio::test]
async fn size_time_redirects_and_schemes_are_bounded() {
    let site = Site::new().await;
    let mut limits = local();
    limits.max_time = Duration::from_millis(300);
    let quick = client(limits);
    let client = client(local());
    for (url, end) in [
        (site.url("/announced"), "exceeds max of 1000: 5000"),
        (site.url("/endless"), "exceeds 1000 bytes"),
        (format!("data:,{}", "x".repeat(1001)), "exceeds 1000 bytes"),
        (site.url("/loop"), "/loop"),
        ("ftp://example.com/".to_owned(), "Only http, https, and data URLs are supported."),
        ("file:///etc/passwd".to_owned(), "Only http, https, and data URLs are supported."),
    ] {
        let text = pack(&client, &url).await.unwrap_err();
        assert!(text.ends_with(end), "{text}");
    }
    let text = pack(&quick, &site.url("/silent")).await.unwrap_err();
    assert!(text.ends_with("took more than 300 ms and was aborted."), "{text}");
}
